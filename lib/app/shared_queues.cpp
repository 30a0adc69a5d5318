#include "app/shared_queues.hpp"

#include <new>
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
SharedQueues::SharedQueues(Control& control, GateRegistry& gates, Side side, Link link)
    : gates_(gates), link_(std::move(link)), turns_(side), next_look_(control.io()) {
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
    link_.flush();
}

// The gate stops before the right to grant from its queue is given away. Without a gate there is
// nothing to keep it for. A message that could not be put changes nothing: the next look puts it.
void SharedQueues::look_at(const std::string& queue) {
    if (turns_.stays(queue)) return;
    LocalGate* const gate = gates_.find(queue);
    const auto facts = gate == nullptr ? LocalGate::Facts{.stopped = true} : gate->stop_when_done();
    turns_.look(queue, {.next = facts.next, .runs = facts.holds != 0}, [&](const auto& step) {
        TG_CHECK(step.after.ours || facts.stopped);
        if (step.say == Say::give) link_.put(upgrade::at_time(Kind::give, queue, step.after.until));
        if (step.say == Say::ask) link_.put(upgrade::at_time(Kind::ask, queue, step.after.until));
    });
}

// A queue that was given for nothing goes back at once.
void SharedQueues::heard(const upgrade::Message& message) {
    const std::string& queue = message.text;
    const Say say = message.kind == Kind::give ? Say::give : Say::ask;
    if (!turns_.hear(queue, say, upgrade::time_of(message))) return;
    limit(queue);
    if (!looks_) return;
    try {
        look_at(queue);
        link_.flush();
    } catch (const std::bad_alloc&) {
        // The next look does it. A message that is heard again could take a turn that was given
        // since.
    }
}

const std::vector<std::string>& SharedQueues::alone() {
    looks_ = false;
    next_look_.cancel();
    if (!taken_) taken_ = turns_.alone();
    gates_.for_each([](LocalGate& gate) { gate.grant_until(queue::all_tickets); });
    return *taken_;
}

}  // namespace ticketgate
