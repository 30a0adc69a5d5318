// How a run waits, and what may end a wait.
#include <algorithm>
#include <new>

#include "http/target.hpp"
#include "proxy/run_state.hpp"

namespace ticketgate {

task<error_code> Run::wait() {
    // A client may have left before the slot was let go: no event would tell so again.
    if (const auto failure = look_at_client()) co_return failure;
    co_await signal_;
    look_at_hold();
    // A request that lost its slot is not sent if the backend has none of it yet.
    if (hold_.state() == Holding::lost && !request_->reached_backend) co_return errc::slot_revoked;
    if (station_.stopping()) co_return request_->end_at_stop();
    if (deadline_.expired()) {
        if (const auto failure = timed_out()) co_return failure;
    }
    // Before it sends: nothing begins for a client that has left.
    if (const auto failure = look_at_client()) co_return failure;
    if (const auto failure = send_on()) co_return failure;
    co_return look_at_client();
}

// CONTRACT 2.3: a run that guards a slot watches the backend to its end. Without one it may stop,
// and so it may while the backend has nothing of the request.
error_code Run::look_at_client() {
    if (request_->reply.wanted()) return {};
    if (!watches_on() || !request_->outlives_client()) return errc::client_closed;
    if (!request_->reply.finished()) hold_.client(SlotHold::Client::gone);
    return {};
}

// A slot that is lost has nothing more to be guarded: what runs may run to its end, but neither a
// stream nor a silence without an end keeps a connection for nobody.
bool Run::watches_on() const {
    if (hold_.state() != Holding::lost) return hold_.held();
    return !streaming_ && !request_->tunnel && watch_ != Watch::silent;
}

// No client waits for its answer, and no line for its end.
bool Run::serves_nobody() const {
    return hold_.state() == Holding::lost && !request_->reply.wanted();
}

// A slow client delays the backend (and keeps the slot held); that is not the backend's silence.
task<error_code> Run::wait_for_room() {
    deadline_.disarm();
    watch_ = Watch::client;
    hold_.client(SlotHold::Client::slow);
    const Time begun = monotonic_now();
    patience_ends_ = hold_.guards() ? begun + client_patience() : Time::max();
    arm_patience();
    error_code failure;
    while (!failure && !request_->reply.room() && request_->reply.wanted())
        failure = co_await wait();
    held_back_ += monotonic_now() - begun;
    hold_.client(SlotHold::Client::served);
    watch_ = Watch::backend;
    deadline_.disarm();
    if (!failure) arm_silence();
    co_return failure;
}

// A server between gives up on a connection that takes nothing (60 s in nginx), and its end of the
// connection looks like that of the work. It writes again when about a third of its socket's buffer
// is free, which has 4 MiB at most by the system's default.
Duration Run::client_patience() {
    constexpr std::uint64_t step = 1 << 20;
    if (exchange_->received() >= held_back_at_ + step) {
        held_back_at_ = exchange_->received();
        held_back_ = {};
    }
    return std::max(Duration(settings().hold_back_timeout) - held_back_, Duration(1ms));
}

// While the spool is full, looks now and then: other clients free it, and tell nobody.
void Run::arm_patience() {
    constexpr Duration look_again = 1s;
    const bool full = request_->reply.spool_full();
    if (!full && patience_ends_ == Time::max()) return;
    const Duration left = std::max<Duration>(patience_ends_ - monotonic_now(), 1ms);
    station_.loop.arm(deadline_, full ? std::min(left, look_again) : left);
}

void Run::client_is_slow() {
    if (monotonic_now() >= patience_ends_) return give_up_client();
    request_->reply.look_for_room();
    arm_patience();
}

// The client gets what is kept for it; the rest is read for nobody.
void Run::give_up_client() noexcept try {
    deadline_.disarm();
    const bool full = request_->reply.spool_full();
    request_->reply.fail(errc::client_closed);
    tell_held("the client reads too slowly; the rest of its answer is dropped",
              full ? "the spool is full, and it held its backend back for hold_back_timeout"
                   : "it held its backend back for hold_back_timeout",
              full ? "if such clients are welcome, raise spool.max_disk"
                   : "if such clients are welcome, raise response_spool_max above their answers");
} catch (const std::bad_alloc&) {
    // Then the log has to do without.
}

// The longest silence of the backend: an event stream has long pauses.
Duration Run::silence() const {
    const Duration backend = streaming_ ? settings().tunnel_timeout : settings().response_timeout;
    return request_->peer ? keeper_silence(backend) : backend;
}

// Counts from now. A second silence of the same backend is no news.
void Run::arm_silence() {
    const bool awaited = watch_ == Watch::backend && !request_->reply.finished();
    if (!awaited && watch_ != Watch::end) return;
    if (awaited && serves_nobody() && deadline_.armed()) return;  // it has the rest of that time
    backlog_ = most_backlog;
    const Duration longest = longest_pause(silence());
    if (!looks_for_keeper()) return station_.loop.arm(deadline_, longest);
    const bool unstarted = awaits_keeper() && !request_->repeatable;
    const Time ends = monotonic_now() + longest;
    keeper_ends_ = unstarted ? std::min(ends, unstarted_until()) : ends;
    arm_keeper();
}

// Nothing has gone to a keeper by then, so a request that may be repeated waits no longer either.
void Run::arm_connecting() {
    const Duration longest = settings().connect_timeout;
    exchange_->connect_within(longest);
    if (!looks_for_keeper()) return station_.loop.arm(deadline_, longest);
    keeper_ends_ = std::min(monotonic_now() + longest, unstarted_until());
    arm_keeper();
}

// CONTRACT 2.4: the client is answered, but a slot is kept until the backend is done.
error_code Run::timed_out() {
    if (watch_ == Watch::client) return client_is_slow(), error_code();
    if (looks_for_keeper()) return look_for_keeper();
    if (!exchange_->connected()) return errc::upstream_connect_timeout;
    if (request_->peer) return errc::keeper_silent;
    if (serves_nobody()) return errc::client_closed;
    if (!hold_.held()) return errc::upstream_timeout;
    deadline_.disarm();
    watch_ = Watch::silent;
    count_failure(errc::upstream_timeout, 0);
    note_backend_time();
    if (request_->reply.wanted()) hold_.client(SlotHold::Client::timed_out);
    request_->reply.fail(errc::upstream_timeout);
    tell_silence();
    return {};
}

std::string Run::release_remedy() const {
    const Record& record = request_->record;
    return "when the backend no longer runs the request: ticketgate release " +
           std::string(record.queue) + " " + std::to_string(record.number) + " --request-id " +
           std::string(record.request_id.view());
}

// The access log has no line of this request before its slot is given back.
void Run::tell_held(std::string_view what, std::string_view why, std::string_view remedy) {
    const Record& record = request_->record;
    station_.commons.log.warn(what, {{"request_id", record.request_id},
                                     {"queue", record.queue},
                                     {"number", record.number},
                                     {"method", record.method},
                                     {"path", http::path_of(record.target)},
                                     {"upstream", request_->route->settings.upstream},
                                     {"why", why},
                                     {"remedy", remedy}});
}

void Run::tell_silence() noexcept try {
    const bool held = hold_.held();
    const bool tunnel = streaming_ || request_->tunnel;
    std::string why = exchange_->address() + " sent nothing within " +
                      (tunnel ? "tunnel_timeout" : "response_timeout");
    if (const std::string trouble = exchange_->trouble(); !trouble.empty())
        why.append(": ").append(trouble);
    note_failure(why);
    tell_held(held ? "the backend is silent; its slot stays held"
                   : "the backend is silent; its slot was released before",
              why, held ? release_remedy() : "the queue goes on; check the backend");
} catch (const std::bad_alloc&) {
    // Then the log has to do without.
}

}  // namespace ticketgate
