// Small answers of the admin listener.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

inline constexpr std::string_view plain_text = "text/plain; charset=utf-8";
inline constexpr std::string_view json_text = "application/json";

HttpResponse page(boost::beast::http::status status, std::string body,
                  std::string_view type = plain_text);

/// Calls use(name, value) for each `name=value` of a query; the value is empty where none is given.
template <class Use>
void for_each_parameter(std::string_view query, Use use) {
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        const auto equals = std::min(pair.find('='), pair.size());
        use(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
    }
}

/// The number after `name=` in a query, or `otherwise` where it is not there or no number.
std::uint64_t query_number(std::string_view query, std::string_view name, std::uint64_t otherwise);

}  // namespace ticketgate::admin
