// The lines that a crew logs about its workers.
#include <cstring>

#include "spawn/crew.hpp"

namespace ticketgate::spawn {

// A job that a worker has started may write longer than its crew lives.
Output::Tell Supervisor::Crew::telling(pid_t pid, std::shared_ptr<Speech> speech) {
    return [weak = weak_from_this(), pid, speech = std::move(speech)](std::string_view line,
                                                                      std::string_view id) {
        const auto self = weak.lock();
        if (!self || !self->lines_.takes(line, *speech, monotonic_now())) return;
        self->supervisor_.log_.warn("a worker says", {{"upstream", self->pool_->name()},
                                                      {"pid", std::uint64_t(pid)},
                                                      {"request_id", id},
                                                      {"text", line}});
    };
}

// With the last line: it may be the cause of the worker's end.
void Supervisor::Crew::tell_dropped(const Child& child, bool ended) {
    Speech& speech = *child.speech;
    const Time now = monotonic_now();
    if (!is_to_report(speech, now, ended)) return;
    supervisor_.log_.warn("a worker says more than is logged",
                          {{"upstream", pool_->name()},
                           {"pid", std::uint64_t(child.worker->pid)},
                           {"dropped_lines", std::exchange(speech.dropped, 0)},
                           {"last", speech.last}});
    speech.reported = now;
}

void Supervisor::Crew::tell_not_started(const NotStarted& why) {
    pause_.failed(monotonic_now());
    const std::string text = std::string(why.step) + ": " + std::strerror(why.error);
    pool_->trouble(text);
    supervisor_.log_.error(
        "a worker cannot be started",
        {{"upstream", pool_->name()}, {"command", recipe_.command.program}, {"why", text}});
}

}  // namespace ticketgate::spawn
