// How to see one world again, alone. Known before the world begins, so that it can be told however
// the world ends: a broken promise, a TG_CHECK, a sanitizer.
#pragma once

#include <string>

namespace ticketgate::sim {

/// The arguments of tg_simulate that make the world which is about to begin.
void remember(const std::string& arguments);

/// Tells them from now on, too, when the process is aborted.
void tell_on_abort();

/// Says what broke and how to see it, and ends the process: a world that is half done cannot be
/// taken down.
[[noreturn]] void give_up(const std::string& failure);

}  // namespace ticketgate::sim
