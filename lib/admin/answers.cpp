#include "admin/answers.hpp"

#include <charconv>

namespace ticketgate::admin {

namespace http = boost::beast::http;

HttpResponse page(http::status status, std::string body, std::string_view type) {
    HttpResponse response(status, 11, std::move(body));
    response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
    response.set(http::field::cache_control, "no-store");
    return response;
}

std::uint64_t query_number(std::string_view query, std::string_view name, std::uint64_t otherwise) {
    while (!query.empty()) {
        const auto part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (!part.starts_with(name) || part.substr(name.size(), 1) != "=") continue;
        const auto digits = part.substr(name.size() + 1);
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc{} && end == digits.data() + digits.size()) return number;
    }
    return otherwise;
}

}  // namespace ticketgate::admin
