// Prints the reason when the process ends before it serves.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace ticketgate {

/// Prints the lines on stderr, whole. While the reader of a pipe, or a stopped terminal, takes
/// nothing, TERM and INT end the wait, and so does `patience` without progress. For the end of the
/// process alone: from here on, these signals do nothing else.
void print_last_words(const std::string& lines, milliseconds patience = never);

}  // namespace ticketgate
