// The exit codes of every command.
#pragma once

namespace ticketgate::commands {

inline constexpr int ok = 0, failed = 1, usage = 2, needs_restart = 3, bad_config = 78;

}  // namespace ticketgate::commands
