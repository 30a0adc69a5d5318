// Reads maps within maps: a section below a key, and named sections. For this folder's parsers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "config/section.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {

/// True if the key has no value (`clients:`) or `off`: the same as no key, unless required.
bool is_absent(const Value& value);

/// Reports a key without a value.
bool is_empty(const Value& value);

/// Reports an entry whose key is not a valid name.
void check_name(const Value& map, const Entry& entry);

/// Reads the keys of one section. The overloads in parse.hpp do more.
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

/// Leaves `out` as it is if the section is `off`. The presence of such a section means something:
/// one without settings, as after its lines were commented out, is an error.
template <class T>
bool read_section(const Value& value, std::optional<T>& out) {
    if (is_empty(value)) return false;
    if (is_absent(value)) return true;
    if (!value.expect(Node::Kind::map)) return false;
    return read_section(value, out.emplace());
}

/// Reads `upstreams:`, `queues:` and the like: unique names, each with a map or nothing below.
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
