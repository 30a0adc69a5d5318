#include "trace/delivery.hpp"

#include <algorithm>

namespace ticketgate::trace {
namespace {

// Twice as long after each failure, and up to a quarter more.
Duration pause_after(unsigned failures, std::uint32_t random) {
    const Duration pause =
        std::min<Duration>(first_pause * (1 << std::min(failures - 1, 5u)), longest_pause);
    return pause + pause / 4 * (random % 1024) / 1024;
}

}  // namespace

Reply reply_of(unsigned status) {
    if (status / 100 == 2) return Reply::taken;
    const bool later = status == 429 || status == 502 || status == 503 || status == 504;
    return later ? Reply::later : Reply::refused;
}

Delivery::Next Delivery::after(Reply reply, Duration asked, std::uint32_t random) {
    note(reply != Reply::taken);
    Next next;
    if (reply == Reply::taken) {
        tries_ = failures_ = 0;
        return next;
    }
    ++failures_;
    next.lost = reply == Reply::refused || ++tries_ >= most_tries;
    next.again = !next.lost;
    if (next.lost) tries_ = 0;
    next.pause = std::max(pause_after(failures_, random), std::min(asked, longest_pause));
    return next;
}

void Delivery::note(bool failed) {
    changed_ = failed != failing_;
    failing_ = failed;
}

}  // namespace ticketgate::trace
