// A word of the command line that no command accepts.
#pragma once

#include <string>
#include <vector>

namespace ticketgate {

/// Prints the nearest known word as a hint; returns the exit code for usage.
int unknown(const std::string& word, const std::vector<std::string>& known);

}  // namespace ticketgate
