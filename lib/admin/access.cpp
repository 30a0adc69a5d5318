#include "admin/access.hpp"

#include <cstddef>

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

std::string_view field(const HttpRequest& request, http::field name) {
    const auto value = request[name];
    return {value.data(), value.size()};
}

bool same(std::string_view given, std::string_view secret) {
    unsigned difference = given.size() != secret.size();
    for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i)
        difference |= static_cast<unsigned char>(given[i]) ^
                      static_cast<unsigned char>(secret[i % secret.size()]);
    return difference == 0;
}

bool knows(const HttpRequest& request, std::string_view token) {
    constexpr std::string_view scheme = "Bearer ";
    const auto given = field(request, http::field::authorization);
    return !token.empty() && given.starts_with(scheme) && same(given.substr(scheme.size()), token);
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
