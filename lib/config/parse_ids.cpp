#include "config/nested.hpp"
#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// `header: A` is short for `headers: [A]`.
void parse_headers(SectionReader& section, std::vector<std::string>& out) {
    std::string one;
    section.read("header", one);
    const Entry* several = section.take("headers");
    if (!one.empty()) out = {one};
    if (several == nullptr) return;
    const auto path = section.path_of("headers");
    if (!one.empty())
        section.reading().problems.error(several->mark, path,
                                         "stands beside header; keep one of them");
    const Value value{several->value, section.key("headers"), path, section.reading()};
    (void)read(value, out);  // a problem says why not
}

void parse_id(SectionReader& section, Id& out) {
    parse_headers(section, out.headers);
    section.read("keep_client_in", out.keep_client_in);
    section.read("format", out.format);
    section.read("policy", out.policy);
}

void parse_route_id(SectionReader& section, IdOverrides& out) {
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
