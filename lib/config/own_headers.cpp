#include "config/own_headers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/proxy_headers.hpp"

namespace ticketgate::config {
namespace {

// As folded() returns them.
constexpr std::array<std::string_view, 42> names{"host",
                                                 "connection",
                                                 "keep-alive",
                                                 "proxy-connection",
                                                 "te",
                                                 "trailer",
                                                 "transfer-encoding",
                                                 "upgrade",
                                                 "content-length",
                                                 "content-type",
                                                 "content-encoding",
                                                 "content-range",
                                                 "expect",
                                                 "range",
                                                 "accept",
                                                 "accept-encoding",
                                                 "accept-language",
                                                 "origin",
                                                 "referer",
                                                 "user-agent",
                                                 "proxy",
                                                 "via",
                                                 "forwarded",
                                                 "cookie",
                                                 "set-cookie",
                                                 "authorization",
                                                 "proxy-authorization",
                                                 "proxy-authenticate",
                                                 "x-request-start",
                                                 "server-timing",
                                                 "date",
                                                 "location",
                                                 "x-accel-buffering",
                                                 "traceparent",
                                                 "tracestate",
                                                 "fencing-queue",
                                                 "ticketgate-forward",
                                                 "ticketgate-place",
                                                 "ticketgate-ask",
                                                 "x-client-cert-verify",
                                                 "x-client-cert-subject",
                                                 "x-client-cert-fingerprint"};

bool is_one_of(const std::vector<std::string>& headers, std::string_view folded_name) {
    return std::ranges::find(headers, folded_name, folded) != headers.end();
}

// Also those that a list of the config leaves out: applications believe them all the same.
bool is_kept_from_clients(std::string_view folded_name, const Clients& clients) {
    const Clients usual;
    return is_one_of(address_headers(usual), folded_name) ||
           is_one_of(address_headers(clients), folded_name) ||
           is_one_of(path_headers(usual), folded_name) ||
           is_one_of(path_headers(clients), folded_name) ||
           is_one_of(method_headers(), folded_name);
}

}  // namespace

std::string folded(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const char lower = to_lower(c);
        const bool kept = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        out += kept ? lower : '-';
    }
    return out;
}

bool is_spoken_for(std::string_view name, const Clients& clients) {
    const auto its = folded(name);
    return its.starts_with("x-forwarded-") || std::ranges::find(names, its) != names.end() ||
           is_kept_from_clients(its, clients);
}

bool is_fencing_token(std::string_view name) {
    return folded(name) == folded(*Queue().token);
}

}  // namespace ticketgate::config
