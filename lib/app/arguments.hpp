// Checks the values of arguments. Each returns a sentence for the user; empty: the value is good.
// Pure.
#pragma once

#include <string>

namespace ticketgate {

std::string why_no_count(const std::string& text);
/// The number of a ticket.
std::string why_no_number(const std::string& text);
/// An empty one would mean any request: a script whose variable is unset.
std::string why_no_request_id(const std::string& text);
/// Of a pause.
std::string why_no_time(const std::string& text);
/// Of a clustered queue.
std::string why_no_epoch(const std::string& text);
std::string why_no_address(const std::string& text);

}  // namespace ticketgate
