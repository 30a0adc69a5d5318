// Checks `clients.address_headers` and `path_headers` for lists that remove less, or more, than
// intended.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/proxy_headers.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

// Removing these would change the meaning of a request.
constexpr std::array<std::string_view, 13> of_requests{
    "host",           "cookie",           "authorization", "content-type",
    "content-length", "content-encoding", "connection",    "transfer-encoding",
    "upgrade",        "expect",           "accept",        "origin",
    "user-agent"};

bool is_of_requests(std::string_view name) {
    return std::ranges::any_of(of_requests, [&](auto known) { return iequals(known, name); });
}

bool looks_built_in(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = to_lower(c);
    return name != built_in_headers && edit_distance(lower, built_in_headers) <= 2;
}

void check_list(const Config& config, const std::string& path,
                const std::vector<std::string>& given, Problems& problems) {
    const Mark mark = config.mark_of(path);
    for (const auto& name : given) {
        if (looks_built_in(name))
            problems.error(mark, path,
                           "\"" + name + "\" is taken for a header; for the built-in list write " +
                               std::string(built_in_headers));
        if (is_of_requests(name))
            problems.error(mark, path,
                           name + " is needed by every request and would be removed; take it out");
    }
}

// For address_headers only: warn_path_headers() warns of path_headers.
void warn_without_built_in(const Config& config, Problems& problems) {
    const auto& given = config.clients.address_headers;
    const auto known = [](const auto& name) { return iequals(name, built_in_headers); };
    if (given.empty() || std::ranges::any_of(given, known)) return;
    const std::string built_in(built_in_headers), path = "clients.address_headers";
    problems.warn(config.mark_of(path), path,
                  "does not contain " + built_in + ", so X-Real-IP and others pass; write [" +
                      built_in + ", " + given.front() + "] to add to them");
}

}  // namespace

void check_proxy_headers(const Config& config, Problems& problems) {
    check_list(config, "clients.address_headers", config.clients.address_headers, problems);
    check_list(config, "clients.path_headers", config.clients.path_headers, problems);
    warn_without_built_in(config, problems);
}

}  // namespace ticketgate::config
