// Maps within maps: a section below a key, and named sections. For the parsers of this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "config/section.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {

/// Nothing stands below the key (`clients:`), or `off`: as good as no key, unless required.
bool is_absent(const Value& value);

/// Tells when the key of this entry is no name.
void check_name(const Value& map, const Entry& entry);

/// The keys of one section. Overloads in parse.hpp have more to do.
template <class T>
void parse_section(SectionReader& section, T& out) {
    section.read_all(out);
}

template <class T>
bool read_section(const Value& value, T& out) {
    if (is_absent(value)) return true;
    if (!value.expect(Node::Kind::map)) return false;
    SectionReader section(value.node, value.key.section, value.path, value.reading);
    parse_section(section, out);
    return true;
}

/// Absent when the section is not there.
template <class T>
bool read_section(const Value& value, std::optional<T>& out) {
    if (is_absent(value)) return true;
    if (!value.expect(Node::Kind::map)) return false;
    return read_section(value, out.emplace());
}

/// `upstreams:`, `queues:` and such: each name once, each value a map (or nothing: all defaults).
template <class Map>
bool read_named(const Value& value, Map& out) {
    if (is_absent(value)) return true;
    if (!value.expect(Node::Kind::map)) return false;
    for (const Entry& each : value.node.entries) {
        check_name(value, each);
        auto& made = out[each.key];
        const auto path = join(value.path, each.key);
        const Node empty{
            .kind = Node::Kind::map, .text = {}, .mark = each.mark, .items = {}, .entries = {}};
        const bool nothing = each.value.kind == Node::Kind::null;
        if (!nothing && each.value.kind != Node::Kind::map) {
            value.reading.problems.error(
                each.value.mark, path,
                "expected a map; here is " + std::string(name_of(each.value.kind)));
            continue;
        }
        SectionReader section(nothing ? empty : each.value, value.key.section, path, value.reading);
        parse_section(section, made);
    }
    return true;
}

}  // namespace ticketgate::config
