#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// Reads `header: A`, short for `headers: [A]`; returns nothing if it is absent.
std::optional<std::string> take_header(SectionReader& section, Mark& mark) {
    const Entry* entry = section.take("header");
    if (entry == nullptr) return std::nullopt;
    mark = entry->mark;
    const auto path = section.path_of("header");
    std::string name;
    const Value value{entry->value, section.key("header"), path, section.reading()};
    if (is_off(entry->value))
        (void)value.fail("a header has no value off; to write the id into none, write headers: []");
    else
        (void)read(value, name);
    return name;
}

void tell_both(SectionReader& section, const Mark& headers) {
    section.reading().problems.error(headers, section.path_of("headers"),
                                     "conflicts with header; keep one of them");
}

}  // namespace

void parse_section(SectionReader& section, Id& out) {
    section.read_all(out);
    Mark mark;
    const auto header = take_header(section, mark);
    if (!header) return;
    const auto& marks = section.reading().marks;
    const auto headers = marks.find(section.path_of("headers"));
    if (headers != marks.end()) tell_both(section, headers->second);
    if (!header->empty()) out.headers = {*header};
}

void parse_section(SectionReader& section, IdOverrides& out) {
    section.read_all(out);
    Mark mark;
    const auto header = take_header(section, mark);
    if (!header) return;
    if (out.headers.given()) tell_both(section, out.headers.mark);
    out.headers.mark = mark;
    if (!header->empty()) out.headers.value = {*header};
}

}  // namespace ticketgate::config
