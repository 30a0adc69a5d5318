// Controls when signals reach the process.
#pragma once

namespace ticketgate {

/// Blocks the signals that a service handles; call it first in the process, and again when the
/// service has ended. Otherwise a reload or stop signal in its first or last milliseconds would
/// kill it.
void hold_signals();

/// Unblocks the signals; call it on the thread that handles them. Pending ones take effect now.
void release_signals();

/// Makes a write to a closed peer, or past the file size limit (RLIMIT_FSIZE), fail instead of
/// killing the process.
void ignore_write_signals();

}  // namespace ticketgate
