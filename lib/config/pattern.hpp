// Options for the patterns of regex routes, in one place, so that checking and matching agree.
#pragma once

#include <re2/re2.h>

namespace ticketgate::config {

/// Bytes, not UTF-8: `.` must match every byte that a client may send; otherwise a path with an
/// invalid byte would bypass its queue.
inline RE2::Options pattern_options() {
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1);
    options.set_dot_nl(true);
    options.set_log_errors(false);
    return options;
}

}  // namespace ticketgate::config
