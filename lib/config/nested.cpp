#include "config/nested.hpp"

namespace ticketgate::config {

bool is_absent(const Value& value) {
    if (value.key.kind == Kind::section_or_off && is_off(value.node)) return true;
    return value.node.kind == Node::Kind::null && !value.key.required;
}

bool is_empty(const Value& value) {
    if (value.node.kind != Node::Kind::null) return false;
    value.reading.problems.error(value.reading.marks[value.path], value.path,
                                 "has no settings; write them, or delete the line");
    return true;
}

void check_name(const Value& map, const Entry& entry) {
    const auto path = join(map.path, entry.key);
    map.reading.marks[path] = entry.mark;
    if (!is_name(entry.key) || entry.key == "off")
        map.reading.problems.error(entry.mark, path,
                                   std::string("not a valid name: ") + name_form + ", and not off");
}

}  // namespace ticketgate::config
