#include "admin/access.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <string>

#include "base/error.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

std::string_view field(const HttpRequest& request, http::field name) {
    const auto value = request[name];
    return {value.data(), value.size()};
}

constexpr std::string_view scheme = "Bearer ";  // in any case (RFC 9110 11.1)

bool gives_token(const HttpRequest& request) {
    return iequals(field(request, http::field::authorization).substr(0, scheme.size()), scheme);
}

bool knows(const HttpRequest& request, std::string_view token) {
    return gives_token(request) &&
           equal_in_constant_time(field(request, http::field::authorization).substr(scheme.size()),
                                  token);
}

bool from_another_site(const HttpRequest& request) {
    const auto origin = field(request, http::field::origin);
    return !origin.empty() && origin != "http://" + std::string(field(request, http::field::host));
}

bool is_address(std::string_view host) {
    error_code error;
    (void)boost::asio::ip::make_address(std::string(host), error);
    return !error;
}

// The host without the port, and without the brackets of an IPv6 address (RFC 3986 3.2.2). Empty if
// something else than a port follows.
std::string_view without_port(std::string_view host) {
    const bool brackets = host.starts_with('[');
    const auto end = std::min(host.find(brackets ? ']' : ':'), host.size());
    const auto port = host.substr(std::min(end + (brackets ? 1 : 0), host.size()));
    const bool is_port =
        port.starts_with(':') && port.find_first_not_of("0123456789", 1) == port.npos;
    if (!port.empty() && !is_port) return {};
    return brackets ? host.substr(1, end - 1) : host.substr(0, end);
}

// True if the Host cannot name another site. Browsers send it; some unix socket clients do not.
bool names_nobody_else(const HttpRequest& request) {
    const auto given = field(request, http::field::host);
    const auto host = without_port(given);
    return given.empty() || iequals(host, "localhost") || is_address(host);
}

std::string_view refusal_without_token(const HttpRequest& request, bool local) {
    if (!local)
        return "write actions from another machine need admin.token: "
               "Authorization: Bearer TOKEN\n";
    if (from_another_site(request))
        return "write actions from a page of another site (its Origin is not this Host) need "
               "admin.token: Authorization: Bearer TOKEN\n";
    if (!names_nobody_else(request))
        return "write actions need a Host that is localhost or an IP address, such as "
               "http://127.0.0.1:9901, or admin.token: Authorization: Bearer TOKEN\n";
    return {};
}

}  // namespace

std::string_view refusal(const HttpRequest& request, bool local, std::string_view token) {
    if (knows(request, token)) return {};
    const auto why = refusal_without_token(request, local);
    if (why.empty() || !gives_token(request)) return why;
    return token.empty() ? "no token is right: the configuration in force has no admin.token\n"
                         : "the token is wrong: it is not the admin.token in force\n";
}

}  // namespace ticketgate::admin
