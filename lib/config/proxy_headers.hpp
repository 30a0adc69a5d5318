// Header names in which proxies tell backends of clients, and which a client could write as well.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model.hpp"

namespace ticketgate::config {

/// In a list of headers: those that are built in.
inline constexpr std::string_view built_in_headers = "default";

/// `clients.address_headers` and `path_headers`, with what `default` stands for.
std::vector<std::string> address_headers(const Clients& clients);
std::vector<std::string> path_headers(const Clients& clients);
/// In which frameworks look for another method than the request line's.
std::vector<std::string> method_headers();

}  // namespace ticketgate::config
