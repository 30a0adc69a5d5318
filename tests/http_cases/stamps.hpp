// What ticketgate adds to every message, taken out again: what is left is what a table states.
#pragma once

#include <string>

namespace ticketgate::test {

/// A request head as the backend saw it, without the block of our lines. The fault, if the block is
/// not there once and whole, or Host not once, stands in `fault`.
std::string without_stamps_of_request(std::string head, std::string& fault);

/// The same for a response head at the client.
std::string without_stamps_of_response(std::string head, std::string& fault);

}  // namespace ticketgate::test
