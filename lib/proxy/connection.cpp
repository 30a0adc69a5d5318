#include "proxy/connection.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/check.hpp"
#include "http/framing.hpp"
#include "net/tls_stream.hpp"

namespace ticketgate {
namespace {

// For a connection that should not stay: its client has too many, or the process drains.
constexpr milliseconds short_linger = 2s;

// What a replica may add to a head: ids, addresses, a client's certificate.
constexpr std::size_t stamped_size = 16 << 10;
constexpr std::uint32_t stamped_fields = 64;

InputBudget::Kind kind_of(Next whose) {
    if (whose == Next::tunnel) return InputBudget::Kind::tunnel;
    return whose == Next::body ? InputBudget::Kind::body : InputBudget::Kind::head;
}

}  // namespace

Detached Connection::serve(std::unique_ptr<Connection> self) {
    try {
        for (bool again = true; again;) {
            const error_code failure = co_await self->read_head();
            if (failure == errc::idle || failure == errc::client_closed) {
                self->note_cut_handshake();
                break;
            }
            const Session::Begin begin = self->begin_request(failure);
            again = self->stays(co_await Session::serve(*self, begin));
        }
        if (self->lingers_) co_await self->linger();
    } catch (const std::exception& e) {
        self->station_->commons.log.error("a connection ended by an exception",
                                          {{"what", e.what()}});
    }
}

Session::Begin Connection::begin_request(error_code failure) {
    if (!failure) failure = judge();
    const std::uint32_t most = station_->snapshot()->config.clients.max_requests;
    return {failure, asked(failure), requests_ < most};
}

// False: the connection ends.
bool Connection::stays(Session::End end) {
    const bool unread = !end.body_read || !input_.empty() || dropped_ || wire_->readable();
    lingers_ = end.how == Session::End::closes && unread;
    return end.how == Session::End::stays;
}

// ── the head ──

// A replica has applied the limits to its client's head, and has added lines of its own.
http::HeadLimits Connection::head_limits() const {
    const config::Clients& clients = station_->snapshot()->config.clients;
    http::HeadLimits limits{clients.max_head, clients.max_uri, clients.max_headers};
    if (!peer_.replica) return limits;
    limits.max_head += stamped_size;
    limits.max_headers += stamped_fields;
    return limits;
}

// `idle`: the connection ended between two requests, there is nothing to answer.
task<error_code> Connection::read_head() {
    if (!admitted_) co_return errc::too_many_connections;
    const config::Clients& clients = station_->snapshot()->config.clients;
    const http::HeadLimits limits = head_limits();
    const Duration head_timeout = clients.head_timeout;
    if (requests_ >= clients.max_requests && !peer_.replica) co_return errc::idle;
    bool begun = requests_ == 0;
    std::size_t scanned = 0, skipped = 0;
    const Duration idle_timeout = peer_.replica ? Duration(never) : clients.idle_timeout;
    loop().arm(deadline_, begun ? head_timeout : idle_timeout);
    for (;;) {
        const auto head = station_->head.fresh();
        head->complaint = {};
        skipped += skip_empty_lines();
        if (skipped > limits.max_head) co_return errc::head_too_large;
        if (!nothing_here()) {
            const auto progress = http::parse_request(input_.view(), limits, *head, scanned);
            if (!progress) co_return progress.error();
            if (*progress == http::Progress::done) break;
            scanned = input_.view().size();
            if (!begun) loop().arm(deadline_, head_timeout);
            begun = true;
        }
        const auto got =
            input_.read(*wire_, loop().buffer(), limits.max_head - input_.view().size());
        if (got.status == net::Io::ok) continue;
        if (got.error == net::spoke_plainly) {
            tell_failed_handshake("plain HTTP");
            plainly_ = http::asks_for({loop().buffer().data(), got.bytes});
            co_return errc::plain_http;
        }
        // A part of a TLS record begins a head, as a part of its text does.
        const bool nothing = nothing_here() && wire_->held() == 0;
        if (got.status != net::Io::blocked) co_return nothing ? errc::idle : errc::client_closed;
        input_.keep(wire_->held());
        if (!nothing && !begun) loop().arm(deadline_, head_timeout);
        begun = begun || !nothing;
        if (!nothing && !station_->commons.input.takes_heads()) co_return refuse(errc::input_full);
        // A replica that connects now is about to ask.
        const bool asks = peer_.replica && requests_ == 0;
        if (station_->draining() && nothing && !asks) co_return errc::idle;
        if (station_->handed_over() && nothing) end_soon();
        const bool idle = nothing && !peer_.replica;
        if (idle) station_->rest(*this);
        co_await signal_;
        if (idle) station_->wake(*this);
        if (makes_room_) co_return errc::idle;
        if (station_->stopping()) co_return errc::idle;
        if (deadline_.expired() && !(nothing && goes_on()))
            co_return nothing ? errc::idle : refuse(errc::head_timeout);
    }
    deadline_.disarm();
    if (++requests_ == 1) note_handshake();
    head_size_ = station_->head.view()->bytes.size();
    co_return error_code();
}

// Another process has the listeners. A client may be about to send its next request, or its first
// one, or be in its handshake: it has a little time for that.
void Connection::end_soon() {
    const Duration longest = requests_ == 0 ? Duration(short_linger) : surely_resting;
    if (deadline_.expired()) return;
    if (!deadline_.armed() || deadline_.at() - loop().woke() > longest)
        loop().arm(deadline_, longest);
}

// After a hand-over: the next request begins to arrive just as the connection would end.
bool Connection::goes_on() {
    if (!station_->handed_over()) return false;
    wire_->look();
    return wire_->readable() && !wire_->fin();
}

bool Connection::make_room() {
    wire_->look();
    if (!lingers_ && wire_->readable() && !wire_->fin()) return false;
    makes_room_ = true;
    signal_.notify();
    return true;
}

// Some clients end a body with one empty line too many; no request begins with one (RFC 9112 2.2).
// Consumes them as they come, so that none is scanned twice.
std::size_t Connection::skip_empty_lines() {
    const std::size_t bytes = http::leading_empty_lines(input_.view());
    if (bytes != 0) input_.consume(bytes);
    return bytes;
}

// The last use of the head, on every path.
void Connection::consume_head() {
    input_.consume(std::exchange(head_size_, 0));
}

bool Connection::hold_head() {
    input_.keep(wire_->held(), InputBudget::Kind::whole);
    return input_.fits();
}

void Connection::view_head_again() {
    constexpr http::HeadLimits known{
        .max_head = 64 << 20, .max_uri = 64 << 20, .max_headers = 1 << 20};
    const auto head = station_->head.fresh();
    head->complaint = {};
    const auto progress = http::parse_request(input_.view(), known, *head);
    TG_CHECK(progress && *progress == http::Progress::done);
}

// Finds the method that an error answers if it came before the head could be read.
http::AsksFor Connection::asked(error_code failure) const {
    if (failure == errc::plain_http) return plainly_;
    const auto asked = http::asks_for(input_.view());
    // Only empty lines: these cannot begin a HEAD, so the answer may have a body.
    const bool lines_only = failure == errc::head_too_large;
    return asked == http::AsksFor::unknown && lines_only ? http::AsksFor::body : asked;
}

// ── the body, and what follows it ──

error_code Connection::take_body(BodyReader& reader, http::Spool& spool) {
    return reader.take(input_, spool, *station_->joined.fresh());
}

result<Read> Connection::read_body(BodyReader& reader, http::Spool& spool) {
    const std::uint64_t most = reader.expected() + station_->snapshot()->config.clients.max_head;
    const auto got = input_.read(*wire_, loop().buffer(), most);
    if (got.status == net::Io::blocked) {
        input_.keep(wire_->held(), InputBudget::Kind::body);
        return Read::nothing;
    }
    if (got.status != net::Io::ok) return errc::client_closed;
    if (!reader.came(got.bytes, loop().woke())) return errc::body_timeout;
    if (const auto failure = take_body(reader, spool)) {
        input_.keep();
        return failure;
    }
    return Read::some;
}

result<Read> Connection::read_tunnel(http::Spool& spool, std::uint64_t most, bool& ended) {
    if (input_.empty()) {
        const auto got = input_.read(*wire_, loop().buffer(), most);
        if (got.status == net::Io::blocked) return Read::nothing;
        if (got.status == net::Io::failed) return errc::client_closed;
        ended = got.status == net::Io::ended;
    }
    const auto failure = spool.append(input_.view());
    if (failure) return failure;
    input_.consume(input_.view().size());
    return Read::some;
}

// A client may resend a request that was not answered (RFC 9112 9.3.2), so pipelined bytes may be
// dropped if the connection ends after this answer.
bool Connection::keep(Next whose) {
    const InputBudget& budget = station_->commons.input;
    const std::size_t below = wire_->held();
    const bool nothing = input_.empty() && below == 0;
    if (nothing || whose == Next::body || whose == Next::tunnel ||
        (whose == Next::request && budget.takes_pipelined())) {
        input_.keep(below, kind_of(whose));
        return whose != Next::tunnel || input_.fits();
    }
    dropped_ = true;
    input_.drop();
    wire_->drop_held();
    return false;
}

// ── its loop, and its end ──

Station* Connection::settles_on() const {
    return requests_ == 1 && &settle_on_ != station_ ? &settle_on_ : nullptr;
}

// No event is notified on the way; attach() reports the connection's present state again.
task<void> Connection::move_to(Station& station) {
    station_->leave(*this);
    wire_->observe(nullptr);
    wire_->detach();
    co_await loop().move_to(station.loop);
    station_ = &station;
    station_->join(*this);
    signal_.move_to(station.loop.scheduler());
    wire_->attach(station.loop);
    wire_->observe(&signal_);
}

// Sends a FIN, and drops what the client still sends: to close with bytes unread would reset the
// connection and lose the answer (RFC 9112 9.6). The request and all that it held are freed by now;
// the connection that is left is bounded by time and by silence, not by size, and is the first to
// make room for a new client.
task<void> Connection::linger() {
    const config::Clients& clients = station_->snapshot()->config.clients;
    const milliseconds silence = clients.linger_timeout;
    const bool stays = admitted_ && !station_->draining();
    const bool briefly = !stays || station_->handed_over();
    Deadline end(signal_);
    loop().arm(end, briefly ? std::min(clients.linger_time, short_linger) : clients.linger_time);
    loop().arm(deadline_, silence);
    input_.drop();
    station_->rest(*this, Rest::lingers);
    wire_->finish_writing();  // who sees it finds the connection among those that make room
    while (!end.expired() && !deadline_.expired() && !station_->stopping() && !makes_room_) {
        if (stays && station_->draining()) break;
        const auto got = wire_->read_some(loop().buffer());
        if (got.status == net::Io::ended || got.status == net::Io::failed) break;
        if (got.status == net::Io::ok)
            loop().arm(deadline_, silence);
        else
            co_await signal_;
    }
    station_->wake(*this);
}

Connection::Connection(Station& station, Station& settle_on, std::unique_ptr<net::Stream> client,
                       Caller caller, Admission admission, bool admitted)
    : station_(&station),
      settle_on_(settle_on),
      wire_(std::move(client)),
      signal_(station.loop.scheduler()),
      deadline_(signal_),
      input_(station.commons.input),
      caller_(std::move(caller)),
      admission_(std::move(admission)),
      admitted_(admitted) {
    wire_->observe(&signal_);
    station_->join(*this);
    station_->metrics.connections.add(1);
}

Connection::~Connection() {
    station_->leave(*this);
    wire_.reset();
    admission_.leave();
    station_->metrics.connections.add(-1);
}

}  // namespace ticketgate
