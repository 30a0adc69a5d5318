#include "noeq/connection.hpp"

#include <exception>

#include "net/pieces.hpp"

namespace ticketgate::noeq {
namespace {

// The most unsent bytes: a client that asks for much and reads nothing holds no more memory.
constexpr std::size_t most_unsent = 64 << 10;
// The most bytes for one client before the others get a turn: at most 16 ms of ids.
constexpr std::size_t most_in_a_row = 512 << 10;
constexpr Duration clock_look = 2ms;  // how often a clock that is behind is read again

}  // namespace

Connection::Connection(Server& server, int descriptor, std::string peer)
    : server_(server),
      stream_(server.loop(), descriptor),
      signal_(server.loop().scheduler()),
      deadline_(signal_),
      decoder_(server.settings().token),
      peer_(std::move(peer)) {
    stream_.observe(&signal_);
    server_.join(*this);
}

Connection::~Connection() {
    server_.leave(*this);
}

Detached Connection::serve(std::unique_ptr<Connection> self) {
    try {
        co_await self->run();
    } catch (const std::exception& e) {
        self->server_.complain(e.what(), self->peer_);
    }
}

task<void> Connection::run() {
    const Settings& settings = server_.settings();
    for (;;) {
        const auto got = stream_.read_some(in_);
        if (got.status == net::Io::ended || got.status == net::Io::failed) co_return;
        if (got.status == net::Io::ok) {
            const std::string_view input(in_.data(), got.bytes);
            const After after = co_await answer(input);
            if (after == After::over) co_return;
            if (push() != net::Io::ok && !co_await flush_slowly()) co_return;
            if (after == After::sent) co_return;
            continue;
        }
        if (sent_away) co_return;
        server_.idle(*this);
        if (!deadline_.armed())
            server_.loop().arm(
                deadline_, decoder_.logged_in() ? settings.idle_timeout : settings.login_timeout);
        if (!co_await wait()) co_return;
    }
}

// Answers requests, which may be pipelined, in order, with one send where it fits. A request that
// need not wait, as nearly all, takes no further coroutine.
task<Connection::After> Connection::answer(std::string_view input) {
    for (;;) {
        const auto next = decoder_.next(input);
        // A login has one deadline for all its bytes. It is disarmed by the last one.
        if (decoder_.logged_in()) deadline_.disarm();
        if (next.step == ids::NoeqDecoder::Step::more) co_return After::goes_on;
        if (next.step != ids::NoeqDecoder::Step::request) co_return refuse(next.step);
        server_.busy(*this);  // a part of a login does not make it busy
        if (server_.source().make(next.count, out_) == IdSource::Made::all)
            made(next.count);
        else if (const After after = co_await make_late(next.count); after != After::goes_on)
            co_return after;
        if (out_.size() >= most_unsent && !co_await flush_slowly()) co_return After::over;
        if (in_a_row_ >= most_in_a_row) co_await let_others();
    }
}

void Connection::made(std::uint8_t count) {
    server_.metrics().ids.add(count);
    server_.metrics().requests.add();
    in_a_row_ += count * sizeof(std::uint64_t);
}

// Waits for a clock that is a little behind. If it is far behind, ends the connection, as noeqd
// does, so that the client can ask another server.
task<Connection::After> Connection::make_late(std::uint8_t count) {
    Server& server = server_;
    const Time since = monotonic_now();
    for (;;) {
        const auto outcome = server.source().make(count, out_);
        if (outcome == IdSource::Made::all) break;
        const auto behind = milliseconds(server.source().behind_ms());
        const bool patient = outcome == IdSource::Made::behind &&
                             behind + (monotonic_now() - since) <= server.settings().clock_wait;
        if (!patient) {
            server.refused_by(outcome, behind);
            co_return After::sent;
        }
        server.metrics().clock_waits.add();
        if (!co_await flush_slowly()) co_return After::over;
        server.loop().arm(deadline_, clock_look);
        while (!deadline_.expired()) {
            if (server.stopping() || sent_away || stream_.broken()) co_return After::over;
            co_await signal_;
        }
        deadline_.disarm();
    }
    made(count);
    co_return After::goes_on;
}

// Sends what fits now. ok: everything is sent.
net::Io Connection::push() {
    while (sent_ < out_.size()) {
        const auto written = net::write_some(stream_, std::string_view(out_).substr(sent_));
        if (written.status != net::Io::ok) return written.status;
        sent_ += written.bytes;
    }
    out_.clear();
    sent_ = 0;
    return net::Io::ok;
}

task<bool> Connection::flush_slowly() {
    for (;;) {
        const std::size_t before = sent_;
        const auto state = push();
        if (state == net::Io::failed) co_return false;
        if (state == net::Io::ok) break;
        if (sent_away) co_return false;
        if (sent_ != before) {
            deadline_.disarm();
            server_.busy(*this);
        }
        if (!deadline_.armed()) server_.loop().arm(deadline_, server_.settings().write_timeout);
        if (!stream_.writable()) server_.slow(*this);  // else it only waits for its turn
        if (!co_await wait()) co_return false;
    }
    deadline_.disarm();
    server_.busy(*this);
    co_return true;
}

// Waits for an event, unless the connection must end already. False: it must end.
task<bool> Connection::wait() {
    in_a_row_ = 0;
    const auto over = [this] { return deadline_.expired() || server_.stopping(); };
    if (!over() && !sent_away) co_await signal_;
    if (deadline_.expired()) server_.metrics().timed_out.add();
    co_return !over();
}

task<void> Connection::let_others() {
    in_a_row_ = 0;
    bool done = false;
    auto job = [this, &done] {
        done = true;
        signal_.notify();
    };
    server_.loop().post(job);
    while (!done) co_await signal_;
}

Connection::After Connection::refuse(ids::NoeqDecoder::Step step) {
    const bool token = step == ids::NoeqDecoder::Step::bad_token;
    (token ? server_.metrics().bad_token : server_.metrics().bad_request).add();
    server_.complain(token ? "a wrong token" : "not a request for ids", peer_);
    return After::sent;
}

}  // namespace ticketgate::noeq
