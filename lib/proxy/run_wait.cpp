// What a run waits for, and what may end its waiting.
#include "proxy/run_state.hpp"

namespace ticketgate {

task<error_code> Run::wait() {
    co_await signal_;
    look_on();
    if (station_.stopping()) co_return errc::client_closed;
    if (deadline_.expired()) {
        if (const auto failure = timed_out()) co_return failure;
    }
    if (const auto failure = send_on()) co_return failure;
    co_return request_->reply.wanted() ? error_code() : client_gone();
}

// What an operator has released is another's: this run ends when its backend does, without it.
void Run::look_at_slot() {
    if (!slot_.taken_away()) return;
    hold_deadline_.disarm();
    give_back(monotonic_now());
}

// CONTRACT 2.3: with a slot to guard the backend is watched to its end; without one it may stop.
error_code Run::client_gone() {
    if (!guarded()) return errc::client_closed;
    if (!orphan_ && slot_ && !request_->reply.finished()) {
        orphan_ = true;
        slot_.gate()->orphaned(+1);
    }
    return {};
}

// A slow client holds the backend back (and the slot); that is no silence of the backend's.
task<error_code> Run::wait_for_room() {
    deadline_.disarm();
    waits_for_room_ = true;
    hold_back(true);
    error_code failure;
    while (!failure && !request_->reply.room() && request_->reply.wanted())
        failure = co_await wait();
    hold_back(false);
    waits_for_room_ = false;
    if (!failure) arm_silence();
    co_return failure;
}

// How long the backend may say nothing: an event stream has long pauses.
Duration Run::silence() const {
    return streaming_ ? settings().tunnel_timeout : settings().response_timeout;
}

// From now. Of an answer that nobody waits for any more no silence is too long.
void Run::arm_silence() {
    const Reply& reply = request_->reply;
    if (!waits_for_room_ && !reply.failure() && !reply.finished())
        station_.loop.arm(deadline_, silence());
}

void Run::hold_back(bool held_back) {
    if (!slot_ || held_back == held_back_) return;
    held_back_ = held_back;
    slot_.gate()->held_back(held_back ? +1 : -1);
}

// CONTRACT 2.4: the client is answered, but a slot is kept until the backend is done.
error_code Run::timed_out() {
    if (!exchange_->connected()) return errc::upstream_connect_timeout;
    if (!guarded()) return errc::upstream_timeout;
    deadline_.disarm();
    request_->reply.fail(errc::upstream_timeout);
    station_.commons.log.warn(
        slot_ ? "the backend is silent past response_timeout; its slot stays held"
              : "the backend is silent past response_timeout; its slot was released before",
        {{"request_id", request_->record.request_id}, {"queue", request_->record.queue}});
    return {};
}

void Run::hold_timed_out() noexcept {
    hold_deadline_.disarm();
    if (!slot_) return;
    const bool release = slot_.gate()->settings().on_hold_timeout == OnHoldTimeout::release;
    station_.commons.log.error(
        release ? "hold_timeout: the slot is released though the backend may still run"
                : "hold_timeout: the backend still runs and its slot stays held",
        {{"request_id", request_->record.request_id}, {"queue", request_->record.queue}});
    if (!release) return;
    stop_counting(monotonic_now());
    slot_.fail_open();
}

void Run::give_back(Time now) noexcept {
    if (!slot_) return;
    stop_counting(now);
    slot_.give_back();
}

// Its hold, and what the gate's gauges say of this run, end with its slot.
void Run::stop_counting(Time now) noexcept {
    request_->record.hold = now - slot_.granted();
    if (orphan_) slot_.gate()->orphaned(-1);
    orphan_ = false;
    hold_back(false);
}

}  // namespace ticketgate
