// Checks the values of arguments. Each returns a sentence for the user; empty: the value is good.
// Pure.
#pragma once

#include <string>

namespace ticketgate {

std::string why_no_count(const std::string& text);
/// The number of a ticket.
std::string why_no_number(const std::string& text);
/// An empty argument is that of a script whose variable is unset. An empty request id would mean
/// any request.
std::string why_no_request_id(const std::string& text);
std::string why_no_queue(const std::string& text);
std::string why_no_admin(const std::string& text);
/// Seconds between two pictures of `top`.
std::string why_no_interval(const std::string& text);
/// Of a pause.
std::string why_no_time(const std::string& text);
/// Of a clustered queue.
std::string why_no_epoch(const std::string& text);
std::string why_no_address(const std::string& text);

}  // namespace ticketgate
