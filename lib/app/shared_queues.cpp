#include "app/shared_queues.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/error.hpp"

namespace ticketgate {
namespace {

using upgrade::Kind;
using upgrade::Say;
using upgrade::Side;
using upgrade::Turn;

// How soon a queue passes on when its line has ended; for the time of an upgrade only.
constexpr auto between_looks = std::chrono::milliseconds(2);

}  // namespace

// A gate that a reload makes is limited as well, if the other process has its queue.
SharedQueues::SharedQueues(Control& control, GateRegistry& gates, Side side, Send send)
    : gates_(gates), send_(std::move(send)), turns_(side), next_look_(control.io()) {
    gates_.limit_new([this](const std::string& queue) { return turns_.grants_until(queue); });
}

SharedQueues::~SharedQueues() {
    gates_.limit_new(nullptr);
}

void SharedQueues::add(const std::string& queue) {
    turns_.add(queue, monotonic_now());
    limit(queue);
}

void SharedQueues::limit(const std::string& queue) {
    LocalGate* const gate = gates_.find(queue);
    if (gate != nullptr) gate->grant_until(turns_.grants_until(queue));
}

void SharedQueues::start() {
    looks_ = true;
    look();
    look_later();
}

void SharedQueues::stop() {
    if (!std::exchange(looks_, false)) return;
    look();
    next_look_.cancel();
}

void SharedQueues::go_on() {
    if (looks_) look_later();
}

void SharedQueues::look_later() {
    next_look_.expires_after(between_looks);
    next_look_.async_wait([this](const error_code& error) {
        if (error || !looks_) return;
        look();
        look_later();
    });
}

void SharedQueues::look() {
    turns_.for_each([this](const std::string& queue, const Turn&) { look_at(queue); });
}

// The gate stops before the right to grant from its queue is given away. Without a gate there is
// nothing to keep it for.
void SharedQueues::look_at(const std::string& queue) {
    if (turns_.stays(queue)) return;
    LocalGate* const gate = gates_.find(queue);
    const auto facts = gate == nullptr ? LocalGate::Facts{.stopped = true} : gate->stop_when_done();
    const auto step = turns_.look(queue, {.next = facts.next, .runs = facts.holds != 0});
    TG_CHECK(step.after.ours || facts.stopped);
    if (step.say == Say::give) send_(upgrade::at_time(Kind::give, queue, step.after.until));
    if (step.say == Say::ask) send_(upgrade::at_time(Kind::ask, queue, step.after.until));
}

// A queue that was given for nothing goes back at once.
void SharedQueues::heard(const upgrade::Message& message) {
    const std::string& queue = message.text;
    const Say say = message.kind == Kind::give ? Say::give : Say::ask;
    if (!turns_.hear(queue, say, upgrade::time_of(message))) return;
    limit(queue);
    if (looks_) look_at(queue);
}

std::vector<std::string> SharedQueues::alone() {
    looks_ = false;
    next_look_.cancel();
    auto taken = turns_.alone();
    gates_.for_each([](LocalGate& gate) { gate.grant_until(queue::all_tickets); });
    return taken;
}

}  // namespace ticketgate
