// Checks the small grammars inside values: names, headers, addresses, paths, networks. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/model.hpp"

namespace ticketgate::config {

/// True for a token (RFC 9110 5.6.2): a header name or a method.
bool is_token(std::string_view text);

/// True if the headers are the same to CGI, which keeps only letters (in one case) and digits.
bool same_to_cgi(std::string_view a, std::string_view b);

/// RFC 9110 5.5: no control characters except the tab; so no CR or LF either.
bool is_header_value(std::string_view text);

/// 1 to 64 characters of `A-Z a-z 0-9 _ . -`: queues and upstreams; safe in labels, logs and URLs.
/// Not `-` first: a command would take the name for an option.
bool is_name(std::string_view text);
/// The same, for people.
inline constexpr const char* name_form = "1 to 64 of A-Z a-z 0-9 _ . -, not - first";

/// `10.0.0.0/8`, `::1`, `192.168.1.1`.
bool is_network(std::string_view text);

/// `10.0.0.1` as a number.
std::optional<std::uint32_t> parse_ipv4(std::string_view text);

/// Returns why this path can never equal a normalised path, and a spelling that can; empty: it can.
std::string why_not_normal(std::string_view path);
/// Returns why no path has this percent code, of three characters; empty: paths may have it.
std::string why_not_code(std::string_view code);

/// Parses `0.0.0.0:8080`, `[::]:8080`, `unix:/path`; if nothing, `why` has the reason.
std::optional<Listen> parse_address(std::string_view text, std::string& why);

/// True for `fastcgi://` and `fastcgi+unix:`.
bool is_fcgi_url(std::string_view text);

/// Fills url, host, port and unix_path. On failure, returns false and sets `why`.
bool parse_url(std::string_view text, Upstream& upstream, std::string& why);

/// True if only this machine can connect.
bool is_loopback(const Listen& listen);

}  // namespace ticketgate::config
