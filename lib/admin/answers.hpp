// Small answers of the admin listener.
#pragma once

#include <boost/url/params_view.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

/// On every answer, so that the operator's commands take no other HTTP server for this listener.
inline constexpr const char* admin_header = "Ticketgate-Admin";

inline constexpr std::string_view plain_text = "text/plain; charset=utf-8";
inline constexpr std::string_view json_text = "application/json";
inline constexpr std::string_view events_text = "text/event-stream";

HttpResponse page(boost::beast::http::status status, std::string body,
                  std::string_view type = plain_text);

/// The decoded parameters of a target. A view: valid as long as the target.
using Query = boost::urls::params_view;

/// Returns the number after `name=` in a query; `absent` if there is none; nothing if it is not a
/// number.
std::optional<std::uint64_t> query_number(const Query& query, std::string_view name,
                                          std::uint64_t absent);

/// Returns the text after `name=` in a query; null if it is absent.
std::optional<std::string> query_text(const Query& query, std::string_view name);

/// Says which name of a query is unknown or stands twice; empty: none. A key that
/// is ignored could change what an action does: a pause without its `for` lasts for ever.
std::string wrong_names(const Query& query, std::span<const std::string_view> known);

}  // namespace ticketgate::admin
