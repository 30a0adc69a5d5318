#include "config/nested.hpp"
#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// `header: A` is short for `headers: [A]`.
void parse_headers(SectionReader& section, Setting<std::vector<std::string>>& out) {
    Setting<std::string> one;
    section.read("header", one);
    section.read("headers", out);
    if (!one.given()) return;
    if (out.given())
        section.reading().problems.error(out.mark, section.path_of("headers"),
                                         "stands beside header; keep one of them");
    out.mark = one.mark;
    if (one.value) out.value = {*one.value};
}

void parse_id(SectionReader& section, Id& out) {
    Setting<std::vector<std::string>> headers;
    parse_headers(section, headers);
    if (headers.value) out.headers = *headers.value;
    section.read("keep_client_in", out.keep_client_in);
    section.read("format", out.format);
    section.read("policy", out.policy);
}

void parse_route_id(SectionReader& section, IdOverrides& out) {
    parse_headers(section, out.headers);
    section.read("format", out.format);
    section.read("policy", out.policy);
}

void parse_machine(SectionReader& section, Machine& out) {
    section.read("address", out.address);
    section.read("worker", out.worker);
    section.read("datacenter", out.datacenter);
}

}  // namespace

void parse_ids(SectionReader& section, Ids& out) {
    parse_map(section, "request_id", Section::id, [&](auto& s) { parse_id(s, out.request_id); });
    parse_map(section, "unique_id", Section::id, [&](auto& s) { parse_id(s, out.unique_id); });
    parse_named(section, "other", Section::id, out.other, parse_id);
    parse_map(section, "machine", Section::machine,
              [&](auto& s) { parse_machine(s, out.machine); });
}

void parse_route_ids(SectionReader& section, IdsOverrides& out) {
    for (auto [name, id] :
         {std::pair{"request_id", &out.request_id}, {"unique_id", &out.unique_id}})
        parse_map(section, name, Section::route_id, [&](auto& s) { parse_route_id(s, *id); });
    parse_named(section, "other", Section::route_id, out.other, parse_route_id);
}

}  // namespace ticketgate::config
