// How signals reach the process. No handler runs: they stay blocked in every thread, for as long as
// a service lives, and the control thread takes those that are pending.
#pragma once

#include <array>
#include <csignal>

#include "base/descriptor.hpp"

namespace ticketgate {

/// The signals of a service, in the order in which pending ones are taken: a stop comes first.
inline constexpr std::array service_signals{SIGTERM, SIGINT, SIGCHLD, SIGHUP, SIGUSR1, SIGUSR2};

/// Blocks them; call it first in the process, before other threads begin, which inherit this. So a
/// reload or stop signal in its first or last milliseconds does not kill it.
void hold_signals();

/// Unblocks them, for a command: they have their usual effects. Pending ones take effect now.
void release_signals();

/// Undoes what the parent process ignores of them.
void heed_signals();

/// Returns a descriptor that is readable, on a thread that holds them, while one of them is
/// pending. Throws std::system_error.
Descriptor watch_signals();

/// Takes this signal, if it is pending. The system keeps one of each kind, however often it was
/// sent meanwhile. This thread holds them.
bool take_signal(int signal);

/// Makes a write to a closed peer, or past the file size limit (RLIMIT_FSIZE), fail instead of
/// killing the process.
void ignore_write_signals();

}  // namespace ticketgate
