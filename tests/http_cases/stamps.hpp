// Removes the lines that ticketgate adds to every message; the rest must equal the table.
#pragma once

#include <string>

namespace ticketgate::test {

/// A request head as the backend saw it, without the block of our lines. `fault` is set unless the
/// block occurs exactly once and complete, and Host exactly once.
std::string without_stamps_of_request(std::string head, std::string& fault);

/// The same for a response head at the client.
std::string without_stamps_of_response(std::string head, std::string& fault);

}  // namespace ticketgate::test
