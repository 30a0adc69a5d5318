// Which signals reach the process, and when.
#pragma once

namespace ticketgate {

/// The first thing that a process does: signals that a service acts on wait until it can. Without
/// that, a reload or a stop that comes in its first milliseconds ends it.
void hold_signals();

/// Those that have come act now. On the thread that has their handlers.
void release_signals();

/// A write to a peer that is gone, or past the largest size of a file (RLIMIT_FSIZE), fails instead
/// of ending the process.
void ignore_write_signals();

}  // namespace ticketgate
