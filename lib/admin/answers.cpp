#include "admin/answers.hpp"

#include <charconv>
#include <optional>

namespace ticketgate::admin {

namespace http = boost::beast::http;

HttpResponse page(http::status status, std::string body, std::string_view type) {
    HttpResponse response(status, 11, std::move(body));
    response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
    response.set(http::field::cache_control, "no-store");
    return response;
}

std::uint64_t query_number(std::string_view query, std::string_view name, std::uint64_t otherwise) {
    std::optional<std::uint64_t> found;
    for_each_parameter(query, [&](std::string_view parameter, std::string_view digits) {
        std::uint64_t number = 0;
        const char* const end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, number);
        if (parameter == name && error == std::errc{} && stop == end && !found) found = number;
    });
    return found.value_or(otherwise);
}

}  // namespace ticketgate::admin
