// Descriptors that bodies and files may not take. A waiting request may hold some for as long as it
// waits, and it waits for a slot whose end may need one: a connection to the backend, or to
// php-fpm's status page. One number for the process, as its limit is (RLIMIT_NOFILE). Any thread.
#pragma once

namespace ticketgate {

/// From this number on; before the first call, none is kept.
void keep_descriptors_from(int first);

/// Returns `descriptor`; closes it, and fails with EMFILE, if it is kept.
int unless_kept(int descriptor) noexcept;

}  // namespace ticketgate
