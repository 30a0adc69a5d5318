#include "proxy/slot_hold.hpp"

#include <utility>

namespace ticketgate {

SlotHold::SlotHold(Slot slot, Signal& holder)
    : slot_(std::move(slot)),
      holder_(holder),
      deadline_(holder),
      state_(slot_ ? Holding::held : Holding::none) {}

SlotHold::~SlotHold() {
    give_back();
}

void SlotHold::begin(net::Loop& loop) noexcept {
    if (!held()) return;
    slot_.observe(&holder_);
    const GateSettings gate = slot_.gate()->settings();
    loop.arm_from(deadline_, gate.hold_timeout, slot_.granted());
}

HoldNews SlotHold::look() noexcept {
    if (!held()) return HoldNews::none;
    if (slot_.taken_away()) {
        leave(HoldEvent::taken_away);
        return HoldNews::taken_away;
    }
    if (!deadline_.expired()) return HoldNews::none;
    deadline_.disarm();
    // By the config in force, which may be newer than the grant.
    if (slot_.gate()->settings().on_hold_timeout == OnHoldTimeout::keep) return HoldNews::overdue;
    leave(HoldEvent::fail_open);
    return withdrawn_ ? HoldNews::withdrawn : HoldNews::failed_open;
}

void SlotHold::client(Client now) noexcept {
    if (!held() || client_ == Client::gone || client_ == Client::timed_out) return;
    count(-1);
    client_ = now;
    slot_.client(now);
    count(+1);
}

void SlotHold::not_told() {
    if (!held()) return;
    slot_.gate()->notes.not_told.fetch_add(1, std::memory_order_relaxed);
    slot_.end_unknown(true);
}

// The gauges first: they must not count this request any more when the next one begins.
void SlotHold::leave(HoldEvent event) noexcept {
    const Holding was = std::exchange(state_, next(state_, event));
    if (was != Holding::held) return;
    deadline_.disarm();
    duration_ = monotonic_now() - slot_.granted();
    count(-1);
    if (event == HoldEvent::fail_open)
        withdrawn_ = !slot_.fail_open();
    else
        slot_.give_back();
}

void SlotHold::count(int by) const noexcept {
    if (client_ == Client::slow)
        slot_.gate()->notes.held_back.fetch_add(by, std::memory_order_relaxed);
    if (client_ == Client::gone)
        slot_.gate()->notes.orphaned.fetch_add(by, std::memory_order_relaxed);
    if (client_ == Client::timed_out)
        slot_.gate()->notes.timed_out.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace ticketgate
