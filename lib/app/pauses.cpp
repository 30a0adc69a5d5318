#include "app/pauses.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ticketgate {

Pauses::Pauses(Control& control, Log& log, GateRegistry& gates, Tell tell)
    : log_(log), gates_(gates), tell_(std::move(tell)), next_end_(control.io()) {
    gates_.pause_new([this](const std::string& queue) { return paused_there(queue); });
}

Pauses::~Pauses() {
    gates_.pause_new(nullptr);
}

void Pauses::pause(Gate& gate, milliseconds how_long) {
    log_.warn("an operator paused a queue",
              {{"queue", gate.name()},
               {"for", how_long == never ? "until it is resumed" : print_duration(how_long)}});
    const Time until = how_long == never ? until_resumed : monotonic_now() + how_long;
    gate.pause(until);
    if (tell_(gate.name(), until)) there_[gate.name()] = until;
    wait_for_next();
}

void Pauses::resume(Gate& gate) {
    log_.info("an operator resumed a queue", {{"queue", gate.name()}});
    gate.resume();
    there_.erase(gate.name());
    tell_(gate.name(), Time{});
}

void Pauses::adopt(const std::string& queue, Time until) {
    note_there(queue, until);
    LocalGate* const gate = gates_.find(queue);
    if (gate != nullptr) {
        gate->pause(until);
        return wait_for_next();
    }
    if (until == Time{}) return;
    log_.warn(
        "upgrade: a queue that the config does not have any more is paused in the old process; "
        "`ticketgate resume` ends that pause",
        {{"queue", queue}});
}

void Pauses::note_there(const std::string& queue, Time until) {
    if (until == Time{})
        there_.erase(queue);
    else
        there_[queue] = until;
}

Time Pauses::paused_there(const std::string& queue) const {
    const auto found = there_.find(queue);
    return found == there_.end() || found->second <= monotonic_now() ? Time{} : found->second;
}

bool Pauses::resume_there(const std::string& queue) {
    if (paused_there(queue) == Time{}) return false;
    log_.info("an operator resumed a queue", {{"queue", queue}});
    there_.erase(queue);
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
