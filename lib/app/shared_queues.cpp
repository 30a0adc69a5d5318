#include "app/shared_queues.hpp"

#include <utility>

#include "base/error.hpp"

namespace ticketgate {
namespace {

using upgrade::Event;
using upgrade::Kind;
using upgrade::Say;
using upgrade::Side;
using upgrade::Turn;

// How soon a queue passes on when its line has ended; for the time of an upgrade only.
constexpr auto between_looks = std::chrono::milliseconds(2);

bool holds(LocalGate* gate) {
    return gate != nullptr && gate->look().holds != 0;
}

upgrade::Line line_of(const LocalGate::Facts& facts) {
    return {facts.waits, facts.holds != 0};
}

}  // namespace

// A gate that a reload makes is barred as well, if the other process has its queue.
SharedQueues::SharedQueues(Control& control, GateRegistry& gates, Side side, Send send)
    : gates_(gates), side_(side), send_(std::move(send)), turns_(side), next_look_(control.io()) {
    gates_.bar_new([this](const std::string& queue) { return !turns_.ours(queue); });
}

SharedQueues::~SharedQueues() {
    gates_.bar_new(nullptr);
}

void SharedQueues::add(const std::string& queue) {
    turns_.add(queue);
    LocalGate* const gate = gates_.find(queue);
    if (gate != nullptr && !turns_.ours(queue)) (void)gate->bar(true);
}

void SharedQueues::start() {
    looks_ = true;
    look();
    look_later();
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
    turns_.for_each([this](const std::string& queue, Turn current) { look_at(queue, current); });
}

// The right to grant is given away under the gate's lock, or a request might take a ticket and be
// granted between the look and the bar. An upload that is not whole claims no slot: with `order:
// ready` it would keep others from the queue. Without a gate there is nothing to keep it for.
void SharedQueues::look_at(const std::string& queue, Turn current) {
    LocalGate* const gate = gates_.find(queue);
    const bool keeps = current == Turn::ours && (side_ == Side::new_process || holds(gate));
    if (keeps) return;
    const auto line = gate == nullptr ? upgrade::Line() : line_of(gate->bar(true));
    const Say say = turns_.look(queue, line);
    if (gate != nullptr && turns_.ours(queue)) (void)gate->bar(false);
    if (say == Say::give) send_({Kind::give, 0, queue});
    if (say == Say::ask) send_({Kind::ask, 0, queue});
}

void SharedQueues::heard(const upgrade::Message& message) {
    const Event event = message.kind == Kind::give ? Event::given : Event::asked;
    if (!turns_.heard(message.text, event)) return;
    LocalGate* const gate = gates_.find(message.text);
    if (gate != nullptr) (void)gate->bar(event == Event::asked);
}

std::vector<std::string> SharedQueues::alone() {
    looks_ = false;
    next_look_.cancel();
    auto taken = turns_.alone();
    gates_.for_each([](LocalGate& gate) { (void)gate.bar(false); });
    return taken;
}

}  // namespace ticketgate
