// Maps within maps: a section below a key, and named sections. For the parsers of this folder.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/section.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {

/// Is there a map to be read? Tells when there is something else. A key whose value is empty in the
/// file (`clients:` and nothing below) is as good as no key, unless required.
bool has_map(const Entry* entry, const Key& key, const std::string& path, Reading& reading);

/// The section below `name`, if it is there.
template <class Read>
void parse_map(SectionReader& above, std::string_view name, Section section, Read use) {
    const Entry* entry = above.take(name);
    const auto path = above.path_of(name);
    if (!has_map(entry, above.key(name), path, above.reading())) return;
    SectionReader reader(entry->value, section, path, above.reading());
    use(reader);
}

/// `upstreams:`, `queues:` and such: each name once, each value a map (or nothing: all defaults).
template <class T, class Read>
void parse_named(SectionReader& above, std::string_view name, Section section,
                 std::map<std::string, T>& out, Read use) {
    const Entry* entry = above.take(name);
    const Key& key = above.key(name);
    Reading& reading = above.reading();
    if (!has_map(entry, key, above.path_of(name), reading)) return;
    for (const Entry& each : entry->value.entries) {
        const auto path = join(above.path_of(name), each.key);
        reading.marks[path] = each.mark;
        if (!is_name(each.key) || each.key == "off")
            reading.problems.error(each.mark, path,
                                   "not a name: 1 to 64 of A-Z a-z 0-9 _ . - and not off");
        T& made = out[each.key];
        const Node empty{
            .kind = Node::Kind::map, .text = {}, .mark = each.mark, .items = {}, .entries = {}};
        const bool nothing = each.value.kind == Node::Kind::null;
        if (!nothing && each.value.kind != Node::Kind::map) {
            reading.problems.error(
                each.value.mark, path,
                "expected a map; here is " + std::string(name_of(each.value.kind)));
            continue;
        }
        SectionReader reader(nothing ? empty : each.value, section, path, reading);
        use(reader, made);
    }
}

}  // namespace ticketgate::config
