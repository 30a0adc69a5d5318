#include <algorithm>

#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

constexpr std::size_t most_endpoints = 9, longest_name = 63, shortest_secret = 16;

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

// Empty: it is one.
std::string why_no_address(const std::string& text) {
    Upstream at;
    std::string why;
    if (text.find("://") != std::string::npos || !parse_url("http://" + text, at, why))
        return why.empty() ? "write host:port, without http://" : why;
    if (at.host.empty() || !text.ends_with(":" + std::to_string(at.port))) return "has no port";
    if (at.host == "0.0.0.0" || at.host == "::")
        return "is no address that another machine can connect to";
    return {};
}

bool is_whole_seconds(milliseconds time) {
    return time % 1s == 0s;
}

bool read_advertised(const Value& value, std::string& out) {
    std::string address;
    if (!read(value, address)) return false;
    if (const auto why = why_no_address(address); !why.empty())
        return value.fail("\"" + address + "\": " + why);
    out = std::move(address);
    return true;
}

bool read_peer_secret(const Value& value, std::string& out) {
    std::string secret;
    if (!read(value, secret)) return false;
    const bool plain = std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 127; });
    if (secret.size() < shortest_secret)
        return value.fail("is shorter than 16 characters; make one: openssl rand -hex 16");
    if (!plain) return value.fail("has a blank or a character that is not ASCII");
    out = std::move(secret);
    return true;
}

bool read_token(const Value& value, std::optional<std::string>& out) {
    if (is_off(value.node)) {
        out.reset();
        return true;
    }
    std::string name;
    if (!read(value, name)) return false;
    out = std::move(name);
    return true;
}

void parse_section(SectionReader& section, ClusterPeer& out) {
    section.read("secret", out);
    const bool given = section.has("secret");
    read_secret_file(section, "secret", out.secret);
    if (!given && !out.secret.empty() && out.secret.size() < shortest_secret) {
        const auto path = section.path_of("secret_file");
        section.reading().problems.error(section.reading().marks[path], path,
                                         "the secret is shorter than 16 characters");
    }
    section.read_all(out);
}

void parse_section(SectionReader& section, Cluster& out) {
    section.read_all(out);
    const auto bad = [&](const char* key, const std::string& why) {
        const auto path = section.path_of(key);
        section.reading().problems.error(section.reading().marks[path], path, why);
    };
    if (!is_whole_seconds(out.lease)) bad("lease", "is not a number of whole seconds");
    if (section.has("store") && out.store.timeout > out.lease / 3)
        bad("store", "timeout is above a third of lease");
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
