// The sentences about a queue: whether it is paused, which request blocks it, since when, and how
// to free it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "top/picture.hpp"

namespace ticketgate::top {

struct Clock {
    double unix_s = 0;  ///< with its fraction: a difference of two is cut once, at its end
    std::int64_t utc_offset = 0;
};

/// `14.0s, since 14:53:06`: of what began so many seconds ago.
std::string since(double seconds, Clock now);

/// A word as a shell reads it.
std::string quoted(const std::string& word);

/// The words of a shell command that releases this ticket and no other; `whom`: options that name
/// the process.
std::string release_command(const std::string& queue, const TicketLine& ticket,
                            const std::string& whom);

/// One to four lines about the ticket that `chosen` names, or about the oldest that runs; before
/// them, one about a pause, and one about more that run than may.
std::vector<std::string> blocked_by(const Tickets& tickets, std::uint64_t chosen,
                                    const std::string& whom, Clock now);

/// One line: which workers the ticket waits for; empty: it was sent, or they are not known.
std::string workers_in_use(const TicketLine& ticket, const std::vector<BusyWorker>& workers);

/// The running ticket with this number, else the oldest one that runs; null: none runs.
const TicketLine* running(const Tickets& tickets, std::uint64_t chosen);

}  // namespace ticketgate::top
