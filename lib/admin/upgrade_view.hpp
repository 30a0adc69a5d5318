// How far an upgrade is, for `ticketgate upgrade`. A value.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::admin {

struct Upgrading {
    int pid = 0;               ///< of this process
    std::string_view state;    ///< none, starting, handed_over, drains, failed
    int successor = 0;         ///< the new process; 0: none
    bool old_process = false;  ///< the process before this one still finishes its line
    int old_pid = 0;           ///< its pid; 0: it has ended, or there was none
    /// How the process before this one ended: finished, cut (before its line had ended); empty: it
    /// has not, or there was none.
    std::string_view old_ended = {};
    std::string why = {};  ///< the last new process did not take over
};

/// A sentence for the operator: the upgrade failed, or the old process still works. Else empty.
std::string upgrade_text(const Upgrading& upgrading);

std::string upgrade_json(const Upgrading& upgrading);

}  // namespace ticketgate::admin
