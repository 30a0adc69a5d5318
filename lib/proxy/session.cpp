#include "proxy/session.hpp"

#include <exception>
#include <utility>

#include "base/text.hpp"
#include "http/framing.hpp"
#include "http/parser.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "net/tls_stream.hpp"
#include "proxy/failure.hpp"
#include "proxy/identify.hpp"
#include "proxy/run.hpp"

namespace ticketgate {
namespace {

// Bytes of an unqueued request body that may wait for a slow backend before we stop reading the
// client.
constexpr std::uint64_t upload_window = 64 << 10;

// A piece of a body that is not worth a write by itself.
constexpr std::size_t small_piece = 1 << 10;

}  // namespace

// ── the life of a request ──

Detached Session::serve(std::unique_ptr<Session> self) {
    try {
        while (co_await self->serve_one()) {
        }
        if (self->lingers_) co_await self->linger();
    } catch (const std::exception& e) {
        self->station_->commons.log.error("a session ended by an exception", {{"what", e.what()}});
    }
}

// One request from head to log line. Every stage returns an error or nothing; the first failure is
// answered below, once. False: the connection ends.
task<bool> Session::serve_one() {
    error_code failure = co_await read_head();
    if (failure == errc::idle || failure == errc::client_closed) co_return false;
    if (!failure) failure = judge();
    const auto request = begin(failure);
    const Attached attached(request->reply, *client_, signal_);
    try {
        if (!failure) failure = co_await try_serve(*request, request);
    } catch (const std::exception& e) {
        failure = fault(*request, e);
    }
    try {
        if (failure) co_await answer(failure, *request);
    } catch (const std::exception& e) {
        (void)fault(*request, e);
        failure = errc::client_closed;  // it cannot be told
    }
    const bool again = finish(*request, failure);
    // A response that was cut must not end in good order; all else should reach the client whole.
    const bool cut = failure && (failure == errc::client_closed || request->reply.begun());
    lingers_ = !again && !cut && unread(*request);
    co_return again;
}

// Nothing that came with this request, and was not used up, may pass for another one.
error_code Session::fault(Request& request, const std::exception& e) noexcept {
    request.keep_alive = false;
    station_->commons.log.error("a request ended by an exception",
                                {{"what", e.what()}, {"request_id", request.record.request_id}});
    return errc::internal;
}

// Up to begin_body() nothing suspends: the head is a view of the loop's buffer until then.
task<error_code> Session::try_serve(Request& request, std::shared_ptr<Request> shared) {
    const auto lost = route(request);
    identify(request.ids(), &station_->head, peer_.trusted, station_->ids, request.record);
    if (lost) {
        note_refused_head(lost, request.record);
        co_return lost;
    }
    stamp(request);
    if (const auto failure = take_ticket(request)) co_return failure;
    if (const auto failure = begin_body(request)) co_return failure;
    if (const auto failure = keep_rest(request)) co_return failure;

    if (!request.place) {
        if (requests_ == 1 && &settle_on_ != station_) co_await move_to(settle_on_);
        if (request.needs_length && !request.body.complete) {
            if (const auto failure = co_await read_body(request)) co_return failure;
        }
        if (const auto failure = start_run(*station_, std::move(shared))) co_return failure;
        co_return co_await deliver(request);
    }
    co_await go_home(request);
    if (!request.body.complete) {
        if (const auto failure = co_await read_body(request)) co_return failure;
    }
    if (const auto failure = co_await wait_turn(request)) co_return failure;
    if (const auto failure = start_run(*station_, std::move(shared))) {
        request.record.outcome = Outcome::released;
        co_return failure;
    }
    co_return co_await deliver(request);
}

// ── 3: the head ──

// `idle`: the connection ended between two requests, there is nothing to answer.
task<error_code> Session::read_head() {
    if (!admitted_) co_return errc::too_many_connections;
    const config::Clients& clients = station_->snapshot()->config.clients;
    const http::HeadLimits limits{clients.max_head, clients.max_uri, clients.max_headers};
    const Duration head_timeout = clients.head_timeout;
    if (requests_ >= clients.max_requests) co_return errc::idle;
    bool begun = requests_ == 0;
    std::size_t scanned = 0, skipped = 0;
    loop().arm(deadline_, begun ? head_timeout : clients.idle_timeout);
    for (;;) {
        skipped += skip_empty_lines();
        if (skipped > limits.max_head) co_return errc::head_too_large;
        if (!input_.empty() && input_.view() != "\r") {
            const auto progress =
                http::parse_request(input_.view(), limits, station_->head, scanned);
            if (!progress) co_return progress.error();
            if (*progress == http::Progress::done) break;
            scanned = input_.view().size();
            if (!begun) loop().arm(deadline_, head_timeout);
            begun = true;
        }
        const auto got =
            input_.read(*client_, loop().buffer(), limits.max_head - input_.view().size());
        if (got.status == net::Io::ok) continue;
        if (requests_ == 0 && got.status == net::Io::failed) note_failed_handshake(got);
        if (got.error == net::spoke_plainly) {
            plainly_ = http::asks_for({loop().buffer().data(), got.bytes});
            co_return errc::plain_http;
        }
        const bool nothing = input_.empty() || input_.view() == "\r";
        if (got.status != net::Io::blocked) co_return nothing ? errc::idle : errc::client_closed;
        input_.keep();
        if (!station_->commons.input.takes_heads() && !nothing) co_return errc::input_full;
        if (station_->draining() && nothing) co_return errc::idle;
        if (nothing) station_->rest(*this);
        co_await signal_;
        if (nothing) station_->wake(*this);
        if (makes_room_) co_return errc::idle;
        if (station_->stopping()) co_return errc::idle;
        if (deadline_.expired()) co_return nothing ? errc::idle : errc::head_timeout;
    }
    deadline_.disarm();
    if (++requests_ == 1) note_handshake();
    head_size_ = station_->head.bytes.size();
    co_return error_code();
}

bool Session::make_room() {
    client_->look();
    if (client_->readable() && !client_->fin()) return false;
    makes_room_ = true;
    signal_.notify();
    return true;
}

// Some clients end a body with one more than it has; a request does not begin with them (RFC 9112
// 2.2). Used up as they come, so that none of them is looked at twice.
std::size_t Session::skip_empty_lines() {
    const std::size_t bytes = http::leading_empty_lines(input_.view());
    if (bytes != 0) input_.consume(bytes);
    return bytes;
}

// Before any suspension while a request is served: what came behind it waits its turn, as long as
// there is room for it. Else it is dropped, and the connection ends with this request's answer: a
// client may send again whatever was not answered (RFC 9112 9.3.2).
error_code Session::keep_rest(Request& request) {
    if (input_.empty() || !request.body.complete) {
        input_.keep();
        return {};
    }
    const InputBudget& budget = station_->commons.input;
    if (!request.upgrade.empty()) {  // the beginning of what the tunnel will carry
        input_.keep();
        return budget.takes_heads() ? error_code() : errc::input_full;
    }
    if (request.keep_alive && budget.takes_pipelined()) {
        input_.keep();
        return {};
    }
    forget_rest(request);
    return {};
}

void Session::forget_rest(Request& request) {
    dropped_ = dropped_ || !input_.empty();
    input_.drop();
    request.keep_alive = false;
}

// Bytes of the client's that nobody will use: of a body, or after a head that was refused.
bool Session::unread(const Request& request) const {
    return !request.decoder.done() || !input_.empty() || dropped_ || client_->readable();
}

// Its views die with it: this is the last use of the head, on every path.
void Session::consume_head() {
    input_.consume(std::exchange(head_size_, 0));
}

// Who this is by the snapshot in force, which may be another one than when the connection began.
error_code Session::judge() {
    const Snapshot& snapshot = *station_->snapshot();
    if (caller_.judged_by == snapshot.number) return {};
    const Claim* const claim = caller_.claim.get();
    Peer peer = believed(claim == nullptr ? peer_ : claim->sender,
                         claim == nullptr ? nullptr : &claim->header, snapshot.trusted);
    peer.secured = peer_.secured;
    caller_.peer = std::move(peer);
    admission_.count_as(peer_.many ? std::string_view() : peer_.ip);
    if (must_shake_hands_again()) return errc::handshake_outdated;
    caller_.judged_by = snapshot.number;
    return {};
}

std::shared_ptr<Request> Session::begin(error_code failure) {
    auto request = std::allocate_shared<Request>(task_frames::Allocator<Request>(),
                                                 station_->snapshot(), station_->commons.spool);
    Record& record = request->record;
    record.received = wall_now();
    if (failure) {
        record.client_ip = peer_.ip;
        request->keep_alive = false;
        const bool plain = failure == errc::plain_http;
        const auto asked = plain ? plainly_ : http::asks_for(input_.view());
        request->to_head = asked == http::AsksFor::head;
        // Of nothing but empty lines: nobody's request begins so.
        const bool lines_only = failure == errc::head_too_large;
        request->unknown_method = asked == http::AsksFor::unknown && !lines_only;
        identify(request->ids(), nullptr, false, station_->ids, record);
        note_refused_head(failure, record);
        return request;
    }
    const http::RequestHead& head = station_->head;
    request->to_head = head.method == "HEAD";
    request->client_1_0 = record.http_1_0 = head.version == 10;
    request->keep_alive = head.keep_alive && !station_->draining() &&
                          requests_ < request->snapshot->config.clients.max_requests;
    request->decoder = http::BodyDecoder(head.framing, head.content_length);
    request->body.complete = request->decoder.done();
    request->repeatable = head.idempotent() && head.framing == http::Framing::none;
    const auto format = request->snapshot->config.log.access;
    if (format == config::AccessFormat::off) return request;
    describe(record, head, peer_);
    if (format != config::AccessFormat::combined) return request;
    for (const auto& field : head.fields) {
        if (field.id == http::FieldName::referer) record.referer = field.value;
        if (field.id == http::FieldName::user_agent) record.user_agent = field.value;
    }
    return request;
}

// ── 4, 5: route and stamp ──

error_code Session::route(Request& request) {
    const http::RequestHead& head = station_->head;
    const auto refuse = [this](std::string_view complaint) {
        station_->head.complaint = complaint;
        return errc::bad_request;
    };
    if (station_->draining()) return errc::draining;
    if (head.max_forwards == 0) return errc::last_hop;
    const auto path = http::path_of(head.target);
    if (!http::normalise_path(path, station_->path))
        return refuse("a path that has no normal form");
    request.route = request.snapshot->find(station_->path);
    if (path != station_->path && !request.snapshot->has_one_route(path, station_->path))
        return refuse("a path that servers read in ways with different routes");
    if (request.snapshot->refuses_names_of(head))
        return refuse("a field name that CGI servers fold");
    if (request.route == nullptr || !request.route->upstream) return errc::no_route;
    if (head.framing == http::Framing::length &&
        head.content_length > request.route->settings.max_body)
        return errc::body_too_large;
    const bool past_the_line =
        bypasses(head, request.route->settings, !request.route->upstream->cgi());
    request.queues = request.snapshot->queues(*request.route, head) && !past_the_line;
    return {};
}

// The request head as it goes to the backend: edited bytes of the client's own (CONTRACT 5).
void Session::stamp(Request& request) {
    const http::RequestHead& head = station_->head;
    const bool queued = request.queues;
    station_->lines.clear();
    const Upstream& upstream = *request.route->upstream;
    stamp_request(head, request.ids(), peer_, request.record, upstream.host(), station_->lines);
    if (request.snapshot->names_client_certificates)
        stamp_client_certificate(peer_, station_->lines);
    http::RequestEdits edits;
    edits.id_names = request.snapshot->own_names;
    edits.added = station_->lines;
    edits.keep_forwarded = peer_.trusted;
    edits.address_names = &request.snapshot->address_names;
    edits.removed_names = &request.snapshot->removed_names(request.route->settings);
    edits.keep_unusual =
        request.snapshot->config.clients.unusual_names == config::UnusualNames::forward;
    edits.framing = head.framing;
    edits.content_length = head.content_length;
    if (!upstream.cgi())
        request.upgrade = edits.upgrade = upgrade_of(head, request.route->settings);
    // RFC 9110 9.3.2 lets a gateway ask with GET. The answer to a HEAD ends with its head, while
    // its script may run on; the end of the body that GET brings is its end (CONTRACT 2.12). CGI
    // tells the end apart from the body.
    request.head_as_get = queued && request.to_head && !upstream.cgi();
    if (request.head_as_get) edits.method = "GET";
    // A queued body is spooled before it is sent, so its length is known by then.
    const bool chunked = head.framing == http::Framing::chunked;
    request.needs_length = chunked && (queued || upstream.cgi());
    if (request.needs_length) edits.framing = http::Framing::until_close;
    request.body.chunked = chunked && !request.needs_length;
    if (!queued && !request.needs_length) request.body.spool.stream_window(4 * upload_window);
    request.head = station_->spare_text();
    fcgi::Origin origin;
    const std::string client = upstream.cgi() ? client_ip(head, peer_) : std::string();
    if (upstream.cgi()) origin = origin_of(peer_, client, request.record);
    upstream.write_head(head, edits, origin, request.head);
}

// ── 6: the ticket ──

error_code Session::take_ticket(Request& request) {
    const Route& route = *request.route;
    Record& record = request.record;
    record.outcome = Outcome::bypass;
    if (!request.queues) return {};
    if (record.method.empty()) describe(record, station_->head, peer_);  // for the operator's view
    const auto pass = std::make_shared<Pass>(record);
    queue::Queue::Entry entry;
    entry.max_waiting = route.settings.max_waiting;
    entry.ready = request.decoder.done();
    if (route.settings.wait_timeout < never)
        entry.deadline = request.started + route.settings.wait_timeout;
    const auto state = route.gate->take(*pass, entry, loop());
    record.queue = route.gate->name();
    record.position = pass->position;
    record.blocked_by = pass->blocked_by;
    record.outcome = Outcome::full;
    if (state == queue::State::full) return errc::queue_full;
    record.number = pass->number;
    request.granted_at_once = state == queue::State::granted;
    record.outcome = Outcome::client_closed;  // until it is admitted, or refused
    request.place.emplace(route.gate, pass, loop());
    return {};
}

// ── 7: the body ──

error_code Session::begin_body(Request& request) {
    const http::RequestHead& head = station_->head;
    const bool expects_continue = head.expects_continue && !request.client_1_0;
    consume_head();
    if (request.body.complete) return {};
    const config::Settings& settings = request.route->settings;
    request.pace = http::Pace(settings.body_min_rate, settings.body_timeout);
    request.pace.start(loop().woke());
    if (const auto failure = accept_body(request)) return failure;
    // RFC 9110 10.1.1: a client that has begun to send its body needs no word from us.
    if (expects_continue && !request.body.complete && request.body_bytes == 0)
        request.reply.write_interim("HTTP/1.1 100 Continue\r\n\r\n");
    return {};
}

// Moves what is here of the body into the spool. Pieces of a few bytes are joined first: on disk
// each would be a write of its own.
error_code Session::accept_body(Request& request) {
    std::string& joined = station_->joined;
    joined.clear();
    while (!input_.empty() && !request.decoder.done()) {
        const auto piece = request.decoder.next(input_.view());
        if (!piece) return piece.error();
        request.body_bytes += piece->payload.size();
        if (request.body_bytes > request.route->settings.max_body) return errc::body_too_large;
        if (piece->payload.size() < small_piece) {
            joined += piece->payload;
        } else {
            if (const auto failure = spool(request, joined)) return failure;
            if (const auto failure = request.body.spool.append(piece->payload)) return failure;
        }
        if (piece->consumed == 0) break;
        input_.consume(piece->consumed);
    }
    if (const auto failure = spool(request, joined)) return failure;
    if (request.decoder.done()) body_complete(request);
    return {};
}

error_code Session::spool(Request& request, std::string& joined) {
    if (joined.empty()) return {};
    const auto failure = request.body.spool.append(joined);
    joined.clear();
    return failure;
}

void Session::body_complete(Request& request) {
    request.body.complete = true;
    if (request.needs_length) request.route->upstream->add_length(request.head, request.body_bytes);
    if (request.place) request.place->ready();
    if (request.run != nullptr) request.run->notify();
}

// One read. Nothing to read is no error; the caller waits.
error_code Session::read_more_body(Request& request) {
    const std::uint64_t most =
        request.decoder.expected() + request.snapshot->config.clients.max_head;
    const auto got = input_.read(*client_, loop().buffer(), most);
    if (got.status == net::Io::blocked) return errc::idle;
    if (got.status != net::Io::ok) return errc::client_closed;
    if (!request.pace.took(got.bytes, loop().woke())) return errc::body_timeout;
    loop().arm(deadline_, request.route->settings.body_timeout);
    if (const auto failure = accept_body(request)) {
        input_.keep();
        return failure;
    }
    return keep_rest(request);
}

// A queued request's body is whole before its turn: a slow upload never holds the slot
// (CONTRACT 1.2). So is one whose length the backend must be told first.
task<error_code> Session::read_body(Request& request) {
    loop().arm(deadline_, request.route->settings.body_timeout);
    while (!request.body.complete) {
        const auto failure = read_more_body(request);
        if (!failure) continue;
        if (failure != errc::idle) co_return failure;
        co_await signal_;
        if (!request.reply.pump()) co_return errc::client_closed;  // of a 100 Continue
        if (station_->stopping()) co_return errc::draining;
        if (client_->broken()) co_return errc::client_closed;
        if (deadline_.expired()) co_return errc::body_timeout;
        // order: arrival: the head of the line is waited for, but not for ever.
        if (request.place && request.place->settle() == queue::State::expired)
            co_return errc::wait_timeout;
    }
    deadline_.disarm();
    co_return error_code();
}

// ── 8: the turn ──

// To the loop where the queue's requests run.
task<void> Session::go_home(Request& request) {
    net::Loop& home = request.place->gate().home();
    if (&home != &loop()) co_await move_to(*station_->commons.stations[home.index()]);
    request.place->arrive(signal_);
    if (!request.body.complete || request.place->settle() == queue::State::waiting)
        loop().arm_from(wait_deadline_, request.route->settings.wait_timeout, request.started);
}

// On the way nobody is notified of anything; being attached anew, the connection tells its state
// again.
task<void> Session::move_to(Station& station) {
    station_->leave(*this);
    client_->observe(nullptr);
    client_->detach();
    co_await loop().move_to(station.loop);
    station_ = &station;
    station_->join(*this);
    signal_.move_to(station.loop.scheduler());
    client_->attach(station.loop);
    client_->observe(&signal_);
}

task<error_code> Session::wait_turn(Request& request) {
    Place& place = *request.place;
    Record& record = request.record;
    for (bool waited = !request.granted_at_once;;) {
        if (station_->stopping()) place.cancel(GivenUp::draining);
        const auto state = place.settle();
        record.queue_wait = monotonic_now() - request.started;
        if (state == queue::State::expired) {
            record.outcome = Outcome::timeout;
            co_return errc::wait_timeout;
        }
        if (station_->stopping()) {
            record.outcome = Outcome::draining;
            co_return errc::draining;
        }
        // A client that left before the grant left while it was queued, though the event may still
        // be on its way.
        if (state == queue::State::granted && waited) client_->look();
        if (left(request)) co_return errc::client_closed;  // the place is given up with the request
        // Revoked: an operator took the slot since; start_run says so.
        if (state == queue::State::granted || state == queue::State::revoked) break;
        waited = true;
        co_await signal_;
    }
    wait_deadline_.disarm();
    record.outcome = Outcome::admitted;
    co_return error_code();
}

// A FIN while queued is a leave unless the route says otherwise (CONTRACT 2.2); pipelined bytes are
// none.
bool Session::left(const Request& request) const {
    if (client_->broken()) return true;
    return client_->fin() && request.route->settings.client_half_close == config::HalfClose::leave;
}

// ── 11: deliver ──

// Hands the response on as the client takes it; on an unqueued route it also passes the upload on
// meanwhile. Errors before the response has begun are answered; after it, the connection is cut.
task<error_code> Session::deliver(Request& request) {
    Reply& reply = request.reply;
    const Duration write_timeout = request.snapshot->config.clients.write_timeout;
    const bool uploading = !request.body.complete;
    if (uploading) loop().arm(deadline_, request.route->settings.body_timeout);
    for (;;) {
        if (request.tunnel) co_return co_await tunnel(request);
        while (!request.body.complete && !reply.finished() &&
               request.body.spool.size() < upload_window) {
            const auto failure = read_more_body(request);
            if (failure == errc::idle) break;
            if (failure) co_return failure;
            if (request.run != nullptr) request.run->notify();
        }
        // What we do not read ourselves, because the backend does not take it, is not late.
        const bool full = request.body.spool.size() >= upload_window;
        if (full) request.pace.pause();
        const std::uint64_t taken = reply.taken();
        if (!reply.pump()) co_return errc::client_closed;
        if (reply.drained() && reply.finished()) break;
        if (reply.drained() && reply.failure()) co_return reply.failure();
        if (client_->broken() || station_->stopping()) co_return errc::client_closed;
        if (reply.drained()) {
            if (!uploading || request.body.complete || full)
                deadline_.disarm();
            else if (!deadline_.armed())
                loop().arm(deadline_, request.route->settings.body_timeout);
        } else if (!deadline_.armed() || reply.taken() != taken) {
            loop().arm(deadline_, write_timeout);
        }
        co_await signal_;
        if (deadline_.expired())
            co_return reply.drained() ? errc::body_timeout : errc::client_closed;
    }
    deadline_.disarm();
    co_return error_code();
}

// ── 12: record ──

bool Session::finish(Request& request, error_code failure) {
    request.record.duration = monotonic_now() - request.started;
    if (failure && request.record.status == 0) request.record.status = status_of(failure, nullptr);
    request.place.reset();
    request.reply.detach();
    if (failure == errc::client_closed && request.run != nullptr) request.record.orphaned = true;
    if (--request.parts == 0) station_->record(request);
    return !failure ? request.keep_alive && request.body.complete : request.keep_alive;
}

Session::Session(Station& station, Station& settle_on, std::unique_ptr<net::Stream> client,
                 Caller caller, Admission admission, bool admitted)
    : station_(&station),
      settle_on_(settle_on),
      client_(std::move(client)),
      signal_(station.loop.scheduler()),
      deadline_(signal_),
      wait_deadline_(signal_),
      input_(station.commons.input),
      caller_(std::move(caller)),
      admission_(std::move(admission)),
      admitted_(admitted) {
    client_->observe(&signal_);
    station_->join(*this);
    station_->metrics.connections.add(1);
}

Session::~Session() {
    station_->leave(*this);
    client_.reset();
    admission_.leave();
    station_->metrics.connections.add(-1);
}

}  // namespace ticketgate
