// An upgraded connection (RFC 9110 7.8): after the 101 both directions are bytes without framing,
// and each ends by itself. The session reads from the client and writes to it, the run does the
// same towards the backend; between them are the request's spool (up) and the reply (down).
#include <algorithm>

#include "http/framing.hpp"
#include "net/pieces.hpp"
#include "proxy/run_state.hpp"
#include "proxy/session.hpp"

namespace ticketgate {
namespace {

// Bytes from the client that may wait for the backend before the session stops reading.
constexpr std::uint64_t tunnel_window = 64 << 10;

}  // namespace

// ── the run's half ──

task<error_code> Run::tunnel() {
    Reply& reply = request_->reply;
    exchange_->upgrade();
    reply.stream_window(tunnel_window);
    request_->body.spool.stream_window(4 * tunnel_window);
    request_->body.complete = !reply.wanted();  // it may have left before
    request_->tunnel = true;
    if (settings().tunnel == config::Tunnel::release) hold_.let_go();
    reply.ask_for_body();
    arm_tunnel(false);
    for (bool up_ended = false, down_ended = false;;) {
        bool moved = false;
        if (!up_ended) {
            const std::uint64_t before = request_->body.spool.size();
            const auto step = tunnel_up();
            if (!step) co_return step.error();
            up_ended = *step == Step::done;
            moved = request_->body.spool.size() != before;
        }
        if (!down_ended) {
            const auto step = tunnel_down(moved);
            if (!step) co_return step.error();
            down_ended = *step == Step::done;
            moved = moved || down_ended;
            if (down_ended) end_down();
        }
        if (up_ended && down_ended) co_return error_code();
        if (moved && !reply.failure()) arm_tunnel(down_ended);
        if (const auto failure = co_await wait()) {
            const bool left_behind = down_ended && deadline_.expired();
            co_return left_behind ? error_code() : failure;  // by its client
        }
        // A client that is gone sends nothing more; a slot that is held waits for the backend.
        if (!reply.wanted()) request_->body.complete = true;
    }
}

// The backend is done with its connection, so with the slot, whatever the client does
// (CONTRACT 2.1).
void Run::end_down() {
    request_->reply.end_stream();
    if (exchange_->settled()) hold_.give_back();
}

// Behind the backend's end, a client that does nothing keeps the connection no longer than a
// backend may be silent.
void Run::arm_tunnel(bool down_ended) {
    const Duration longest = settings().tunnel_timeout;
    station_.loop.arm(
        deadline_, down_ended ? std::min(longest, Duration(settings().response_timeout)) : longest);
}

// Done: all that the client sent, and its FIN, are passed on.
result<Step> Run::tunnel_up() {
    const auto step = exchange_->send(request_->head, request_->body);
    if (!step) return step.error();
    if (*step == Step::done) {
        exchange_->finish_sending();
        return Step::done;
    }
    if (request_->body.spool.size() < tunnel_window) request_->reply.ask_for_body();
    return Step::blocked;
}

// Done: the backend has ended.
result<Step> Run::tunnel_down(bool& moved) {
    while (request_->reply.room()) {
        std::string_view bytes;
        const auto step = exchange_->read_body(bytes);
        if (!step) return step.error();
        if (*step == Step::blocked || bytes.empty()) return *step;
        moved = true;
        if (request_->reply.wanted()) request_->record.bytes += bytes.size();
        const iovec piece = net::piece(bytes);
        request_->reply.write({&piece, 1}, false);
    }
    return Step::blocked;
}

// ── the session's half ──

task<error_code> Session::tunnel() {
    Reply& reply = request_->reply;
    net::Stream& wire = client_.wire();
    deadline_.disarm();
    client_deadline_.disarm();
    for (bool told_end = false;;) {
        if (const auto failure = read_tunnel()) co_return failure;
        const std::uint64_t taken = reply.taken();
        if (!reply.pump()) co_return errc::client_closed;
        if (reply.drained() && reply.stream_ended() && !told_end) {
            wire.finish_writing();
            told_end = true;
        }
        if (reply.drained() && reply.finished()) co_return error_code();
        if (reply.failure()) co_return reply.failure();
        // After a FIN from both sides the socket reports a hang-up; all the client sent was read.
        const bool lost = wire.broken() && !request_->body.complete;
        if (lost || station().stopping()) co_return errc::client_closed;
        // Its run is over, and with it tunnel_timeout.
        if (reply.finished() && (!client_deadline_.armed() || reply.taken() != taken))
            await_client();
        co_await signal_;
        if (takes_nothing()) co_return errc::client_closed;
    }
}

// Reads what the client has sent, as far as there is room for it.
error_code Session::read_tunnel() {
    Body& body = request_->body;
    while (!body.complete && body.spool.size() < tunnel_window) {
        const auto got = client_.read_tunnel(body.spool, tunnel_window, body.complete);
        if (!got) return got.error();
        if (*got == Read::nothing) break;
        if (request_->run != nullptr) request_->run->notify();
    }
    (void)client_.keep(Next::body);
    return {};
}

}  // namespace ticketgate
