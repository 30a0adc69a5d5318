// How a session reads its request head: finds the route, and writes the head for the backend. The
// head is a view of the loop's buffer; nothing here suspends.
#include <algorithm>
#include <array>

#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "proxy/failure.hpp"
#include "proxy/identify.hpp"
#include "proxy/method_override.hpp"
#include "proxy/routing.hpp"
#include "proxy/session.hpp"
#include "proxy/tracing.hpp"

namespace ticketgate {
namespace {

void describe_for_log(Record& record, const http::RequestHead& head, const Peer& peer,
                      config::AccessFormat format) {
    if (format == config::AccessFormat::off) return;
    describe(record, head, peer);
    if (format != config::AccessFormat::combined) return;
    SentBy sent_by;
    for (const auto& field : head.fields) {
        if (field.id == http::FieldName::referer) sent_by.referer = field.value;
        if (field.id == http::FieldName::user_agent) sent_by.user_agent = field.value;
    }
    record.sent_by = std::make_unique<const SentBy>(std::move(sent_by));
}

class OriginOf final : public OriginSource {
 public:
    OriginOf(const http::RequestHead& head, const Peer& peer, const Record& record)
        : head_(head), peer_(peer), record_(record) {}
    fcgi::Origin origin() override {
        client_ip_ = client_ip(head_, peer_);
        return origin_of(peer_, client_ip_, record_);
    }

 private:
    const http::RequestHead& head_;
    const Peer& peer_;
    const Record& record_;
    std::string client_ip_;
};

}  // namespace

void Session::begin_request(error_code failure) {
    Request& request = *request_;
    Record& record = request.record;
    record.received = wall_now();
    request.to_head = asked_ == http::AsksFor::head;
    if (failure) {
        record.client_ip = client_.peer().ip;
        request.keep_alive = false;
        identify(request.ids(), nullptr, Sender::client, station().ids, record);
        note_refused_head(failure);
        return;
    }
    const http::RequestHead& head = *station().head.view();
    request.client_1_0 = record.http_1_0 = head.version == 10;
    request.keep_alive = may_stay_ && head.keep_alive && !station().draining();
    request.body.complete = reader_.done();
    request.prefers_html = station().accept.prefers_html(head.fields);
    const bool plain =
        head.idempotent() &&
        !names_another_method(head, config::MethodOverride::queue, request.snapshot->method_names);
    request.safe = plain && (head.method == "GET" || head.method == "HEAD");
    request.repeatable = plain && !head.has_body();
    record.method = request.method = head.method;
    record.target = request.target = head.target;
    describe_for_log(record, head, client_.peer(), request.snapshot->config.log.access);
}

RequestLabel Session::label() const {
    const http::RequestHead& head = *station().head.view();
    const Record& record = request_->record;
    const std::string& known = record.client_ip;
    return RequestLabel(record.request_id.view(), known.empty() ? client_ip(head, peer()) : known,
                        head.method, head.target, request_->route->settings.upstream);
}

// ── 4, 5: route and stamp ──

error_code Session::route() {
    const http::RequestHead& head = *station().head.view();
    const Snapshot& snapshot = *request_->snapshot;
    Routed found = route_of(snapshot, head, peer(), *station().path.fresh());
    request_->route = std::move(found.route);
    if (found.failure && !found.complaint.empty())
        station().head.view()->complaint = found.complaint;
    queues_ = found.queues;
    error_code failure = found.failure;
    if (station().draining() && !may_be_awaited()) failure = request_->unstarted_at_stop();
    if (failure) {
        count_refused(failure);
        return failure;
    }
    note_inside();
    return {};
}

// Its slot would be free with the end of the response, though the script may go on.
error_code Session::refuse_untold() const {
    station().commons.log.error(
        "a queued request cannot be run: nothing tells the end of its work",
        {{"request_id", request_->record.request_id}, {"why", config::no_end_of_work(settings())}});
    return errc::internal;
}

// The request is in a trace that ticketgate continues or begins, by what the client sent.
void Session::join_trace(Time received) {
    Request& request = *request_;
    const http::RequestHead& head = *station().head.view();
    auto begun = begin_trace(head, *request.snapshot->config.tracing, station().ids);
    if (!begun) return;
    begun->received = received;
    begun->client = client_ip(head, peer());
    begun->https = client_.peer().https();
    if (begun->own.sampled()) request.record.trace_id = trace::view(begun->own.trace);
    request.trace = std::move(begun);
}

// Adds the line that tells the backend of its span. Returns the names that are dropped before.
std::span<const std::string> Session::stamp_trace_on(std::string& lines) const {
    const Snapshot& snapshot = *request_->snapshot;
    stamp_trace(*request_->trace, lines);
    return request_->trace->parent ? snapshot.names_to_continue : snapshot.names_to_begin;
}

// Writes the request head for the backend: the client's own bytes, edited (CONTRACT 5).
void Session::stamp() {
    Request& request = *request_;
    const http::RequestHead& head = *station().head.view();
    const Peer& peer = this->peer();
    const Snapshot& snapshot = *request.snapshot;
    const Upstream& upstream = request.to();
    std::string& lines = *station().lines.fresh();
    lines.clear();
    stamp_request(head, request.ids(), peer, request.record, upstream.host(), lines);
    if (snapshot.names_client_certificates) stamp_client_certificate(head, peer, lines);
    if (request.peer) stamp_forward(lines);
    http::RequestEdits edits;
    edits.id_names = request.trace ? stamp_trace_on(lines) : snapshot.own_names;
    edits.added = lines;
    edits.keep_forwarded = peer.trusted;
    edits.address_names = &snapshot.address_names;
    edits.removed_names = &snapshot.removed_names(settings());
    edits.keep_unusual = snapshot.config.clients.unusual_names == config::UnusualNames::forward;
    OriginOf origin(head, peer, request.record);
    request.head = station().spare_text();
    const bool queued = queues_ && !request.peer;
    RequestFacts facts{edits,
                       queued,
                       upgrade_of(head, settings()),
                       &origin,
                       {request.script ? &*request.script : nullptr, request.script_root}};
    facts.ends_later = request.peer && !request.repeatable;
    const Prepared how = upstream.prepare(head, facts, request.head);
    needs_length_ = how.needs_length;
    request.upgrade = how.upgrade;
    request.head_as_get = how.asks_with_get;
    request.body.chunked = how.chunked;
    const bool streams = !queued && !needs_length_;
    request.body.spool.stream_window(streams ? 4 * upload_window : 0);
}

// Logs the reason, which the access log does not have. Must be called before anything suspends,
// while the loop's head is still this request's.
void Session::note_refused_head(error_code failure) const {
    constexpr std::array of_heads{errc::bad_request,    errc::uri_too_long,
                                  errc::head_too_large, errc::expectation_failed,
                                  errc::method_refused, errc::version_refused,
                                  errc::plain_http,     errc::handshake_outdated};
    if (std::ranges::find(of_heads, failure) == of_heads.end()) return;
    const auto& complaint = station().head.view()->complaint;
    const bool known = failure != errc::plain_http && !complaint.empty();
    tell_refused(failure, known ? std::string(complaint) : failure.message());
}

void Session::tell_refused(error_code failure, std::string_view why) const {
    station().commons.log.info("request refused", {{"client_ip", client_.peer().ip},
                                                   {"request_id", request_->record.request_id},
                                                   {"status", status_of(failure, nullptr)},
                                                   {"why", why}});
}

}  // namespace ticketgate
