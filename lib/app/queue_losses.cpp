#include "app/queue_losses.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gate/gate_metrics.hpp"

namespace ticketgate {

QueueLosses::QueueLosses(const GateRegistry& gates, Send send)
    : gates_(gates), send_(std::move(send)) {
    gates_.for_each([this](const LocalGate& gate) { told_[gate.name()] = gate.losses(); });
}

void QueueLosses::tell() {
    gates_.for_each([this](const LocalGate& gate) { tell_of(gate); });
}

void QueueLosses::tell_of(const LocalGate& gate) {
    const GateLosses now = gate.losses();
    GateLosses& before = told_[gate.name()];
    for (std::size_t i = 0; i < now.counts.size(); ++i)
        if (const auto more = now.counts[i] - before.counts[i]; more != 0) {
            send_(
                {upgrade::Kind::lost, more, std::string(GateLosses::names[i]) + " " + gate.name()});
            before.counts[i] = now.counts[i];
        }
}

// Ignores names that it does not know: another version sent them.
void add_losses(const GateRegistry& gates, metrics::Registry& metrics,
                const upgrade::Message& message) {
    const std::string_view text = message.text;
    const auto blank = text.find(' ');
    const auto& names = GateLosses::names;
    const auto which = std::ranges::find(names, text.substr(0, blank)) - names.begin();
    if (blank == text.npos || which == std::ssize(names)) return;
    const std::string queue(text.substr(blank + 1));
    const auto index = static_cast<std::size_t>(which);
    if (LocalGate* const gate = gates.find(queue)) return gate->add_loss(index, message.number);
    auto& counter = loss_counter(metrics, queue, index);
    counter.add(message.number);
    metrics.retire(counter);
}

}  // namespace ticketgate
