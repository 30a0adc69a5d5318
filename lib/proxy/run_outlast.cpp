// A run after the end of its answer: holds the slot until the backend is done with the request, as
// far as its connection can tell (CONTRACT 2.12, 2.13), and sends the rest of the request (2.11).
// Nothing here depends on free memory: an exception is one of the ways in which an exchange ends.
#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "http/target.hpp"
#include "proxy/run_state.hpp"

namespace ticketgate {
namespace {

// After an exception: memory comes back when other requests end.
constexpr Duration retry_after = 50ms;

// Exchanges without a slot that are read to their ends for nobody, at one time. Each has a
// connection to a backend.
constexpr std::size_t most_lingering = 64;

}  // namespace

// Ends the client's part: it has its answer, or an error instead.
void Run::answered(error_code failure) noexcept {
    if (failure) note_backend_time();
    failure ? request_->reply.fail(failure) : request_->reply.finish();
    deadline_.disarm();
}

bool Run::outlasts() const noexcept {
    if (!exchange_ || exchange_->settled() || station_.stopping()) return false;
    return hold_.held() || sends_on() || (lingers_ && !station_.ends_connections());
}

// By the snapshot in force: a reload may have set it behind the request's own.
bool Run::watches_calls() const {
    return !station_.snapshot()->config.clients.inside.empty();
}

// Which script can have made a call from inside depends on when the others ended. So an exchange
// without a slot is read to that end as well, also when its client has left. An event stream may
// have none. A keeper watches what it was forwarded, which may have to go to another one.
void Run::linger() noexcept {
    if (!watches_calls() || request_->peer || !exchange_ || streaming_) return;
    if (!exchange_->connected() || exchange_->settled()) return;
    std::atomic<std::size_t>& count = station_.commons.lingering;
    if (!exchange_->proves_end() && count >= most_lingering) return;
    ++count;
    lingers_ = true;
}

// Without a slot, the rest of the request is the only reason to stay.
bool Run::sends_on() const {
    const Reply& reply = request_->reply;
    return !all_sent_ && exchange_->connected() && !reply.failure() &&
           (request_->body.complete || reply.attached());
}

// One step, at the beginning and at each event.
void Run::outlast() noexcept {
    look_at_hold();
    if (!outlasts()) return;
    try {
        if (watch_ != Watch::nobody) watch_ = Watch::end;
        if (watch_ == Watch::end && !deadline_.armed() && !deadline_.expired())
            station_.loop.arm(deadline_, longest_pause(settings().response_timeout));
        if (deadline_.expired()) out_of_patience();
        // If the rest cannot be sent, sends a FIN: the backend would wait for it for ever.
        if (send_on()) end_sending();
    } catch (const std::exception&) {
        retry_later();
    }
    // Reads also behind an exception: bytes that were read before it are in the loop's buffer.
    const std::uint64_t heard = exchange_->received();
    const bool announced = exchange_->announced_end();
    (void)exchange_->outlast(request_->asks_for_head(), *station_.response.fresh());
    if (exchange_->received() == heard && exchange_->announced_end() == announced) return;
    watch_ = Watch::end;  // also where the last silence was too long
    arm_silence();
}

// A backend that announced the end of its connection ends it at once when its work is over. In the
// midst of an answer, some servers (Node) run the question beside the request.
Duration Run::longest_pause(Duration usual) const {
    constexpr Duration till_asked = 1s;
    return exchange_->announced_end() ? std::min(usual, till_asked) : usual;
}

// Tries again later: the event that failed may have been the last one.
void Run::retry_later() noexcept {
    station_.loop.arm(retry_, retry_after);
}

// A backend that reads slowly empties megabytes of socket buffers before another write is possible.
bool Run::backlog_shrinks() {
    if (all_sent_) return false;
    const std::uint64_t now = exchange_->backlog();
    return now != 0 && now < std::exchange(backlog_, now);
}

// Nothing has moved in either direction. Sends a FIN to a backend that does not read the rest of a
// request: servers end the connection then, and that shows the end of their work.
void Run::out_of_patience() {
    deadline_.disarm();
    if (backlog_shrinks()) return station_.loop.arm(deadline_, silence());
    if (exchange_->ask_for_end()) return station_.loop.arm(deadline_, settings().response_timeout);
    watch_ = Watch::nobody;
    const bool unread = !all_sent_;
    if (unread) end_sending();
    if (!outlasts()) return;
    tell_held(unread ? "the backend does not read the rest of the request; its slot stays held"
                     : "the backend is silent, and nothing shows that its work has ended; its slot "
                       "stays held",
              exchange_->address() + " keeps the connection", release_remedy());
}

void Run::end_sending() {
    all_sent_ = true;
    exchange_->finish_sending();
}

// Notices hold_timeout and an operator's release, and logs them.
void Run::look_at_hold() noexcept {
    const HoldNews news = hold_.look();
    if (news == HoldNews::none || news == HoldNews::taken_away) return;
    const Record& record = request_->record;
    station_.commons.log.error(
        news == HoldNews::failed_open
            ? "hold_timeout: the slot is released though the backend may still run"
        : news == HoldNews::withdrawn
            ? "hold_timeout: the slot is released; nothing of its request was sent"
            : "hold_timeout: the backend still runs and its slot stays held",
        {{"request_id", record.request_id},
         {"queue", record.queue},
         {"number", record.number},
         {"method", record.method},
         {"path", http::path_of(record.target)},
         {"upstream", request_->route->settings.upstream}});
}

}  // namespace ticketgate
