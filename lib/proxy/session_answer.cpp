// The one failure path of a session: answers the client when a stage failed, and decides how the
// connection ends.
#include <algorithm>
#include <utility>

#include "net/pieces.hpp"
#include "proxy/failure.hpp"
#include "proxy/session.hpp"

namespace ticketgate {
namespace {

GivenUp why_given_up(error_code failure) {
    if (failure == errc::client_closed) return GivenUp::client_closed;
    if (failure == errc::spool_full) return GivenUp::no_room;
    return failure == errc::draining ? GivenUp::draining : GivenUp::refused;
}

Outcome outcome_of(GivenUp why) {
    if (why == GivenUp::client_closed) return Outcome::client_closed;
    return why == GivenUp::draining ? Outcome::draining : Outcome::refused;
}

// One write carries the head and up to this much of a body. A longer piece is sent from its place.
constexpr std::size_t most_gathered = 16 << 10;

}  // namespace

// The client left, its upload failed, or the process stops; or wait_timeout had passed before.
void Session::give_up_place(error_code failure) {
    if (!place_) return;
    if (place_->cancel(why_given_up(failure)) == queue::State::expired) turn_ = Turn::expired;
    request_->record.queue_wait = monotonic_now() - request_->started;
    place_.reset();
}

// A request of a queue that ended before it could take a ticket.
void Session::count_refused(error_code failure) const {
    if (!queues_ || told_) return;
    Gate& gate = *request_->route->gate;
    request_->record.queue = gate.name();
    gate.count_refused(why_given_up(failure), Duration{0});
}

Outcome Session::outcome(error_code failure) const {
    if (failure == errc::cluster_away || failure == errc::line_moved) return Outcome::away;
    switch (turn_) {
        case Turn::none:
            return outcome_of(why_given_up(failure));
        case Turn::file:
            return Outcome::file;
        case Turn::bypass:
            return Outcome::bypass;
        case Turn::forwarded:
            return Outcome::forwarded;
        case Turn::full:
            return Outcome::full;
        case Turn::waits:
            return outcome_of(why_given_up(failure));
        case Turn::expired:
            return Outcome::timeout;
        case Turn::had:
            if (failure == errc::draining) return Outcome::draining;  // nothing of it was sent
            return failure == errc::slot_revoked ? Outcome::released : Outcome::admitted;
        case Turn::revoked:
            return Outcome::released;
    }
    return Outcome::refused;
}

// Ends the connection: unused bytes of this request must not pass for another one.
error_code Session::fault(const std::exception& e) noexcept {
    request_->keep_alive = false;
    station().commons.log.error("a request ended by an exception",
                                {{"what", e.what()}, {"request_id", request_->record.request_id}});
    return errc::internal;
}

task<void> Session::answer(error_code failure) {
    Request& request = *request_;
    Record& record = request.record;
    const config::Settings* const settings =
        request.route == nullptr ? nullptr : &request.route->settings;
    client_.consume_head();
    if (whole()) {
        (void)keep_next();  // a refusal before the body has not done so yet; below it suspends
    } else {
        // The unused rest of a body would pass for the next request; a piece that the spool refused
        // was decoded, but is still there.
        request.keep_alive = false;
        (void)client_.keep(Next::nobody);
    }
    give_up_place(failure);
    if (failure == errc::spool_full) station().tell_spool(record.request_id.view());
    wait_deadline_.disarm();
    if (failure != errc::client_closed && !co_await finish_interim()) failure = errc::client_closed;
    const bool begun = this->begun();
    request.reply.detach();
    if (begun || failure == errc::client_closed) {
        // Cut short, so that the sent part does not look like a whole response.
        if (!begun) record.status = status_of(failure, settings);
        // Without a length or chunks only a reset tells the end from a cut.
        if (begun && request.client_1_0) client_.wire().abort_on_close();
        request.keep_alive = false;
        co_return;
    }
    FailureFacts facts{record};
    facts.html = request.prefers_html;
    facts.safe = request.safe;
    facts.may_have_run = request.may_have_run();
    if (request.route != nullptr && request.route->gate) {
        const GateFigures figures = request.route->gate->figures();
        facts.waiting = figures.waiting;
        facts.retry_after = figures.retry_after;
    }
    if (failure == errc::draining || station().ends_connections() || request.client_1_0)
        request.keep_alive = false;
    if (outcome(failure) == Outcome::away) facts.retry_after = retry_after_lease();
    record.status = status_of(failure, settings);
    const auto lines = station().lines.fresh();
    *lines = station().date_line();
    stamp_response(request.ids(), record, settings != nullptr && settings->server_timing, 11,
                   *lines);
    if (request.by_replica)
        stamp_place(record, failure == errc::line_moved, monotonic_now() - request.started, *lines);
    FailureResponse response =
        failure_response(failure, settings, facts, *lines, request.keep_alive, asked_);
    const std::uint64_t unsent = co_await send(response);
    const std::uint64_t body = response.body.size();
    record.bytes = body - std::min(body, unsent);
    const bool cut = unsent != 0;
    record.cut = cut;
    if (cut) request.keep_alive = false;
}

// The client's connection may have taken a part of a 100 Continue: the rest comes before the
// answer.
task<bool> Session::finish_interim() {
    Reply& reply = request_->reply;
    if (reply.begun() || reply.drained()) co_return true;
    await_client();
    for (;;) {
        if (!reply.pump() || gives_client_up()) co_return false;
        if (reply.begun() || reply.drained()) break;
        co_await signal_;
    }
    client_deadline_.disarm();
    co_return true;
}

// Returns how many bytes the client's connection did not take.
task<std::uint64_t> Session::send(FailureResponse& response) {
    std::string gathered = std::move(response.head);
    std::uint64_t left = gathered.size() + response.body.size();
    for (bool more = true; more;) {
        const std::string_view piece = response.body.next();
        more = !piece.empty();
        if (more && gathered.size() + piece.size() <= most_gathered) {
            gathered += piece;
            continue;
        }
        const std::size_t unsent = co_await write_all(gathered);
        left -= gathered.size() - unsent;
        if (unsent != 0) co_return left;
        gathered.clear();
        if (piece.size() > most_gathered) {
            const std::size_t rest = co_await write_all(piece);
            left -= piece.size() - rest;
            if (rest != 0) co_return left;
        } else {
            gathered = piece;
        }
    }
    client_deadline_.disarm();
    co_return left;
}

task<std::size_t> Session::write_all(std::string_view bytes) {
    bool taken = true;  // bytes since the deadline began; or it has not begun
    while (!bytes.empty()) {
        const auto written = net::write_some(client_.wire(), bytes);
        if (written.status == net::Io::failed) co_return bytes.size();
        if (written.status == net::Io::ok) {
            bytes.remove_prefix(written.bytes);
            taken = true;
            continue;
        }
        if (std::exchange(taken, false)) await_client();
        if (gives_client_up()) co_return bytes.size();
        co_await signal_;
    }
    co_return 0;
}

// ── a client that must take bytes ──

void Session::await_client() {
    backlog_ = client_.wire().backlog();
    loop().arm(client_deadline_, request_->snapshot->config.clients.write_timeout);
}

// The system reports room only when a good part of its buffer is free, which a slow client may need
// minutes for. So it is asked at the deadline.
bool Session::takes_nothing() {
    if (!client_deadline_.expired()) return false;
    if (client_.wire().backlog() >= backlog_) return true;
    await_client();
    return false;
}

bool Session::gives_client_up() {
    return client_.wire().broken() || station().stopping() || takes_nothing();
}

}  // namespace ticketgate
