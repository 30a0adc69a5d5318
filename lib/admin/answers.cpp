#include "admin/answers.hpp"

#include <algorithm>
#include <charconv>

namespace ticketgate::admin {

namespace http = boost::beast::http;

HttpResponse page(http::status status, std::string body, std::string_view type) {
    HttpResponse response(status, 11, std::move(body));
    response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
    response.set(http::field::cache_control, "no-store");
    response.set(admin_header, "1");
    return response;
}

std::optional<std::uint64_t> query_number(const Query& query, std::string_view name,
                                          std::uint64_t absent) {
    for (const auto& parameter : query) {
        if (parameter.key != name) continue;
        std::uint64_t number = 0;
        const char* const end = parameter.value.data() + parameter.value.size();
        const auto [stop, error] = std::from_chars(parameter.value.data(), end, number);
        if (error != std::errc{} || stop != end) return std::nullopt;
        return number;
    }
    return absent;
}

std::optional<std::string> query_text(const Query& query, std::string_view name) {
    for (const auto& parameter : query)
        if (parameter.key == name) return parameter.value;
    return std::nullopt;
}

std::string wrong_names(const Query& query, std::span<const std::string_view> known) {
    for (const auto& parameter : query) {
        const std::string& name = parameter.key;
        if (name.empty() && !parameter.has_value) continue;  // of a bare ?
        if (std::ranges::find(known, name) != known.end()) {
            if (std::ranges::count(query, name, [](const auto& one) { return one.key; }) == 1)
                continue;
            return name + " stands twice\n";
        }
        std::string why = "unknown parameter " + name;
        why += known.empty()       ? "; there are none here"
               : known.size() == 1 ? "; the only one is "
                                   : "; the parameters are ";
        for (const auto& one : known) why.append(&one == known.data() ? "" : " and ").append(one);
        return why + "\n";
    }
    return {};
}

}  // namespace ticketgate::admin
