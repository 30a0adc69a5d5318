// The one failure exit of a session: what goes to the client when a stage failed, and how the
// connection ends then.
#include <algorithm>
#include <array>

#include "proxy/failure.hpp"
#include "proxy/session.hpp"

namespace ticketgate {
namespace {

// Where a connection should not stay: of a client that has too many, or while we drain.
constexpr milliseconds short_linger = 2s;

GivenUp why_given_up(error_code failure) {
    if (failure == errc::client_closed) return GivenUp::client_closed;
    return failure == errc::draining ? GivenUp::draining : GivenUp::refused;
}

http::AsksFor asked_for(const Request& request) {
    if (request.unknown_method) return http::AsksFor::unknown;
    return request.to_head ? http::AsksFor::head : http::AsksFor::body;
}

Outcome outcome_of(GivenUp why) {
    if (why == GivenUp::client_closed) return Outcome::client_closed;
    return why == GivenUp::draining ? Outcome::draining : Outcome::refused;
}

}  // namespace

// It left, or its upload was no good, or we stop; unless its time in line was up first.
void Session::give_up_place(error_code failure, Request& request) {
    if (!request.place) return;
    const GivenUp why = why_given_up(failure);
    const auto state = request.place->cancel(why);
    if (state == queue::State::cancelled) request.record.outcome = outcome_of(why);
    if (state == queue::State::expired) request.record.outcome = Outcome::timeout;
    request.record.queue_wait = monotonic_now() - request.started;
    request.place.reset();
}

// Such a request has no method and path in the access log, or no reason: here it stands. To be
// called before anything suspends, while the loop's head is still this request's.
void Session::note_refused_head(error_code failure, const Record& record) const {
    constexpr std::array of_heads{errc::bad_request,    errc::uri_too_long,
                                  errc::head_too_large, errc::expectation_failed,
                                  errc::method_refused, errc::version_refused,
                                  errc::plain_http,     errc::handshake_outdated};
    if (std::ranges::find(of_heads, failure) == of_heads.end()) return;
    const auto& complaint = station_->head.complaint;
    const bool known = failure != errc::plain_http && !complaint.empty();
    station_->commons.log.info("request refused",
                               {{"client_ip", peer_.ip},
                                {"request_id", record.request_id},
                                {"status", status_of(failure, nullptr)},
                                {"why", known ? std::string(complaint) : failure.message()}});
}

task<void> Session::answer(error_code failure, Request& request) {
    Record& record = request.record;
    const config::Settings* settings =
        request.route == nullptr ? nullptr : &request.route->settings;
    consume_head();
    if (request.body.complete)
        (void)keep_rest(request);  // a refusal before the body has not done so yet; below we wait
    else
        forget_rest(request);
    give_up_place(failure, request);
    if (failure == errc::spool_full) station_->tell_spool(record.request_id.view());
    wait_deadline_.disarm();
    if (failure != errc::client_closed && !co_await finish_interim(request))
        failure = errc::client_closed;
    const bool begun = request.reply.begun();
    request.reply.detach();
    if (begun || failure == errc::client_closed) {
        // Cut short: what was sent must not pass for a whole response.
        if (!begun) record.status = status_of(failure, settings);
        // Without a length or chunks only a reset tells the end from a cut.
        if (begun && request.client_1_0) client_->abort_on_close();
        request.keep_alive = false;
        co_return;
    }
    FailureFacts facts{record, 0, 1};
    if (request.route != nullptr && request.route->gate) {
        facts.waiting = request.route->gate->waiting();
        facts.retry_after = request.route->gate->retry_after();
    }
    // What is left unused of a body would be taken for the next request; a piece that the spool
    // refused was decoded, but is still there.
    if (!request.body.complete || failure == errc::draining || station_->draining())
        request.keep_alive = false;
    record.status = status_of(failure, settings);
    station_->lines.clear();
    station_->lines.append(station_->date_line());
    stamp_response(request.ids(), record, settings != nullptr && settings->server_timing, 11,
                   station_->lines);
    const std::string response =
        failure_response(failure, settings, facts, station_->lines,
                         request.keep_alive && !request.client_1_0, asked_for(request));
    if (request.client_1_0) request.keep_alive = false;
    if (!co_await write_all(response)) request.keep_alive = false;
}

// The client's connection may have taken a part of a 100 Continue: the rest comes before the
// answer.
task<bool> Session::finish_interim(Request& request) {
    Reply& reply = request.reply;
    if (reply.begun() || reply.drained()) co_return true;
    loop().arm(deadline_, station_->snapshot()->config.clients.write_timeout);
    for (;;) {
        if (!reply.pump() || client_->broken() || deadline_.expired()) co_return false;
        if (reply.begun() || reply.drained()) break;
        co_await signal_;
    }
    deadline_.disarm();
    co_return true;
}

task<bool> Session::write_all(std::string_view bytes) {
    loop().arm(deadline_, station_->snapshot()->config.clients.write_timeout);
    while (!bytes.empty()) {
        const iovec piece = iovec{const_cast<char*>(bytes.data()), bytes.size()};
        const auto written = client_->write_some(std::span<const iovec>(&piece, 1));
        if (written.status == net::Io::failed || deadline_.expired()) co_return false;
        if (written.status == net::Io::ok) bytes.remove_prefix(written.bytes);
        if (written.status == net::Io::blocked) co_await signal_;
    }
    deadline_.disarm();
    co_return true;
}

// Says that nothing more comes, and drops what the client still sends: to close with bytes unread
// would reset the connection, and the answer with it (RFC 9112 9.6). The request is gone by now,
// and all that it held; what is left is a connection, bounded by time and by silence, not by size.
task<void> Session::linger() {
    const config::Clients& clients = station_->snapshot()->config.clients;
    const milliseconds silence = clients.linger_timeout;
    const bool stays = admitted_ && !station_->draining();
    loop().arm(wait_deadline_,
               stays ? clients.linger_time : std::min(clients.linger_time, short_linger));
    loop().arm(deadline_, silence);
    input_.drop();
    client_->finish_writing();
    while (!wait_deadline_.expired() && !deadline_.expired() && !station_->stopping()) {
        if (stays && station_->draining()) break;
        const auto got = client_->read_some(loop().buffer());
        if (got.status == net::Io::ended || got.status == net::Io::failed) break;
        if (got.status == net::Io::ok)
            loop().arm(deadline_, silence);
        else
            co_await signal_;
    }
}

}  // namespace ticketgate
