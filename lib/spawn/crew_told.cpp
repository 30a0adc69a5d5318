// The lines that a crew logs about its workers.
#include <cstring>

#include "spawn/crew.hpp"

namespace ticketgate::spawn {

void Supervisor::Crew::tell_not_started(const NotStarted& why) {
    pause_.failed(monotonic_now());
    const std::string text = std::string(why.step) + ": " + std::strerror(why.error);
    pool_->trouble(text);
    supervisor_.log_.error(
        "a worker cannot be started",
        {{"upstream", pool_->name()}, {"command", recipe_.command.program}, {"why", text}});
}

}  // namespace ticketgate::spawn
