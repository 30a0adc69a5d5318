#include "admin/access.hpp"

#include <string>

#include "base/secret.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

std::string_view field(const HttpRequest& request, http::field name) {
    const auto value = request[name];
    return {value.data(), value.size()};
}

bool knows(const HttpRequest& request, std::string_view token) {
    constexpr std::string_view scheme = "Bearer ";
    const auto given = field(request, http::field::authorization);
    return given.starts_with(scheme) && equal_in_constant_time(given.substr(scheme.size()), token);
}

bool from_another_site(const HttpRequest& request) {
    const auto origin = field(request, http::field::origin);
    return !origin.empty() && origin != "http://" + std::string(field(request, http::field::host));
}

}  // namespace

bool may_write(const HttpRequest& request, bool local, std::string_view token) {
    return knows(request, token) || (local && !from_another_site(request));
}

}  // namespace ticketgate::admin
