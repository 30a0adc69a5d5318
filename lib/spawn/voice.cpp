#include "spawn/voice.hpp"

#include <new>
#include <utility>

namespace ticketgate::spawn {

Voice::~Voice() {
    try {
        tell_dropped(true);
    } catch (const std::bad_alloc&) {
        // The count of these lines is lost with them.
    }
}

void Voice::says(std::string_view line, std::string_view request_id) {
    if (!lines_->takes(line, speech_, monotonic_now())) return tell_dropped(false);
    log_.warn("a worker says", {{"upstream", upstream_},
                                {"pid", std::uint64_t(pid_)},
                                {"request_id", request_id},
                                {"text", line}});
}

void Voice::tell_dropped(bool ended) {
    const Time now = monotonic_now();
    if (!is_to_report(speech_, now, ended)) return;
    log_.warn("a worker says more than is logged",
              {{"upstream", upstream_},
               {"pid", std::uint64_t(pid_)},
               {"dropped_lines", std::exchange(speech_.dropped, 0)},
               {"last", speech_.last}});
    speech_.reported = now;
}

}  // namespace ticketgate::spawn
