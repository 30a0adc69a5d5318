#include "app/pauses.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ticketgate {

Pauses::Pauses(Control& control, Log& log, const GateRegistry& gates, Tell tell)
    : log_(log), gates_(gates), tell_(std::move(tell)), next_end_(control.io()) {}

void Pauses::pause(Gate& gate, milliseconds how_long) {
    log_.warn("an operator paused a queue",
              {{"queue", gate.name()}, {"for", print_duration(how_long)}});
    const Time until = how_long == never ? until_resumed : monotonic_now() + how_long;
    gate.pause(until);
    tell_(gate.name(), until);
    wait_for_next();
}

void Pauses::resume(Gate& gate) {
    log_.info("an operator resumed a queue", {{"queue", gate.name()}});
    gate.resume();
    tell_(gate.name(), Time{});
}

void Pauses::adopt(const std::string& queue, Time until) {
    LocalGate* const gate = gates_.find(queue);
    if (gate == nullptr) return adopt_there(queue, until);
    gate->pause(until);
    wait_for_next();
}

void Pauses::adopt_there(const std::string& queue, Time until) {
    if (until == Time{}) {
        there_.erase(queue);
        return;
    }
    there_.insert(queue);
    log_.warn(
        "upgrade: a queue that the config does not have any more is paused in the old process; "
        "`ticketgate resume` ends that pause",
        {{"queue", queue}});
}

bool Pauses::resume_there(const std::string& queue) {
    if (there_.erase(queue) == 0) return false;
    log_.info("an operator resumed a queue", {{"queue", queue}});
    tell_(queue, Time{});
    return true;
}

void Pauses::end_due() {
    gates_.for_each([this, now = monotonic_now()](Gate& gate) {
        const Time until = gate.paused_until();
        if (until == Time{} || until > now) return;
        log_.info("the pause of a queue has ended", {{"queue", gate.name()}});
        gate.resume();
    });
    wait_for_next();
}

void Pauses::wait_for_next() {
    Time next = until_resumed;
    gates_.for_each([&next](const Gate& gate) {
        if (const Time until = gate.paused_until(); until != Time{}) next = std::min(next, until);
    });
    if (next == until_resumed) return;
    next_end_.expires_at(next);
    next_end_.async_wait([this](const error_code& error) {
        if (!error) end_due();
    });
}

}  // namespace ticketgate
