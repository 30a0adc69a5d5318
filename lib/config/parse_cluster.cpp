#include <algorithm>

#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

constexpr std::size_t most_endpoints = 9, longest_name = 63;

std::string why_no_endpoint(const std::string& text) {
    Upstream at;
    std::string why;
    if (!parse_url(text, at, why)) return why;
    if (at.host.empty() || is_fcgi_url(text)) return "write http://host:port or https://host:port";
    const std::string port = ":" + std::to_string(at.port);
    return at.url.ends_with(port) ? "" : "has no port; etcd's is 2379";
}

void need_each_other(SectionReader& section, const char* one, bool has_one, const char* other,
                     bool has_other) {
    if (has_one == has_other) return;
    const char* const given = has_one ? one : other;
    const char* const missing = has_one ? other : one;
    if (section.has(missing)) return;  // it was not readable, which is told
    const auto path = section.path_of(given);
    section.reading().problems.error(section.reading().marks[path], path,
                                     std::string("needs ") + missing + " beside it");
}

}  // namespace

bool read_cluster_name(const Value& value, std::string& out) {
    std::string name;
    if (!read(value, name)) return false;
    const bool good = name.size() <= longest_name && std::ranges::all_of(name, [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                      });
    if (!good) return value.fail("\"" + name + "\" is not 1 to 63 of a-z, 0-9 and -");
    out = std::move(name);
    return true;
}

bool read_endpoints(const Value& value, std::vector<std::string>& out) {
    std::vector<std::string> endpoints;
    if (!read(value, endpoints)) return false;
    if (endpoints.empty() || endpoints.size() > most_endpoints)
        return value.fail("expected 1 to 9 endpoints");
    for (const std::string& one : endpoints) {
        if (const auto why = why_no_endpoint(one); !why.empty())
            return value.fail(std::string("\"").append(one).append("\": ").append(why));
        if (std::ranges::count(endpoints, one) > 1) return value.fail(one + " stands twice");
    }
    out = std::move(endpoints);
    return true;
}

void parse_section(SectionReader& section, ClusterStore& out) {
    section.read("password", out);
    read_secret_file(section, "password", out.password);
    section.read_all(out);
    const bool password = !out.password.empty() || section.has("password_file");
    need_each_other(section, "username", !out.username.empty(), "password", password);
    need_each_other(section, "certificate", !out.certificate.empty(), "key", !out.key.empty());
}

}  // namespace ticketgate::config
