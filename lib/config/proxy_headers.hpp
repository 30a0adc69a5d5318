// Names of headers in which proxies describe clients to backends. Clients can forge them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model.hpp"

namespace ticketgate::config {

/// Stands for the built-in names in a list of headers.
inline constexpr std::string_view built_in_headers = "default";

/// Return `clients.address_headers` and `path_headers`, with `default` expanded.
std::vector<std::string> address_headers(const Clients& clients);
std::vector<std::string> path_headers(const Clients& clients);
/// Returns the headers by which a proxy tells that it passes a request on: also address_headers.
std::vector<std::string> forwarding_headers(const Clients& clients);
/// Returns the headers in which frameworks look for a method other than the request line's.
std::vector<std::string> method_headers();

}  // namespace ticketgate::config
