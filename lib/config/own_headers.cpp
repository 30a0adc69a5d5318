#include "config/own_headers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/proxy_headers.hpp"

namespace ticketgate::config {
namespace {

// As folded() returns them.
constexpr std::array<std::string_view, 39> names{"host",
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
                                                 "ticketgate-ask"};

bool tells_of_the_client(std::string_view folded_name) {
    const auto built_in = address_headers(Clients());
    return std::ranges::find(built_in, folded_name, folded) != built_in.end();
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

bool is_spoken_for(std::string_view name) {
    const auto its = folded(name);
    return its.starts_with("x-forwarded-") || std::ranges::find(names, its) != names.end() ||
           tells_of_the_client(its);
}

}  // namespace ticketgate::config
