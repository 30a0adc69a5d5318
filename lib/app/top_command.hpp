// `ticketgate top`: shows the queues of a running process in a terminal, again and again, and frees
// a slot on request. What is shown and what a key means is decided in lib/top.
#pragma once

#include <string>

#include "app/admin_listener.hpp"
#include "base/clock.hpp"

namespace ticketgate {

struct TopOrder {
    std::string queue;         ///< to begin with; empty: the one that is blocked for longest
    double every_seconds = 1;  ///< between two pictures
};

/// Returns the exit code. Without a terminal: prints one picture.
int run_top(const Whom& whom, const TopOrder& order, const config::Environment& environment);

}  // namespace ticketgate
