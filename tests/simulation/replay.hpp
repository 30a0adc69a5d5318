// The command that repeats one world alone. Set before the world begins, so that it can be printed
// however the world ends: a broken promise, a TG_CHECK, a sanitizer.
#pragma once

#include <string>

namespace ticketgate::sim {

/// The arguments of tg_simulate that make the world which is about to begin.
void remember(const std::string& arguments);

/// Makes an abort of the process print them as well.
void tell_on_abort();

/// Prints the failure and how to repeat it, and ends the process: an unfinished world cannot be
/// destroyed.
[[noreturn]] void give_up(const std::string& failure);

}  // namespace ticketgate::sim
