// Small answers of the admin listener.
#pragma once

#include <string>
#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

inline constexpr std::string_view plain_text = "text/plain; charset=utf-8";
inline constexpr std::string_view json_text = "application/json";

HttpResponse page(boost::beast::http::status status, std::string body,
                  std::string_view type = plain_text);

/// The number after `name=` in a query, or `otherwise` where it is not there or no number.
std::uint64_t query_number(std::string_view query, std::string_view name, std::uint64_t otherwise);

}  // namespace ticketgate::admin
