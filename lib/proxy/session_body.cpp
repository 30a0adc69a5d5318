// How a session reads the body of its request: stage 7, and beside stage 11.
#include "proxy/session.hpp"

namespace ticketgate {

error_code Session::begin_body() {
    const bool expects_continue = station().head.view()->expects_continue && !request_->client_1_0;
    client_.consume_head();
    if (reader_.done()) return {};
    reader_.begin(settings(), loop().woke());
    if (const auto failure = client_.take_body(reader_, request_->body.spool))
        return refused_body(failure);
    if (reader_.done()) complete_body();
    // RFC 9110 10.1.1: a client that has begun to send its body needs no 100.
    if (expects_continue && !reader_.done() && reader_.bytes() == 0)
        request_->reply.write_interim("HTTP/1.1 100 Continue\r\n\r\n");
    return {};
}

// The answer and the access log do not say what was wrong with it.
error_code Session::refused_body(error_code failure) const {
    if (failure == errc::bad_request) tell_refused(failure, http::broken_body);
    return failure;
}

void Session::complete_body() {
    request_->body.complete = true;
    if (needs_length_) request_->to().add_length(request_->head, reader_.bytes());
    if (place_) place_->ready();
    if (request_->run != nullptr) request_->run->notify();
}

// Reads once.
result<Read> Session::read_more_body() {
    const auto got = client_.read_body(reader_, request_->body.spool);
    if (!got) return refused_body(got.error());
    if (*got == Read::nothing) return got;
    loop().arm(deadline_, settings().body_timeout);
    if (reader_.done()) complete_body();
    if (const auto failure = keep_next()) return failure;
    return got;
}

// Reads the whole body of a queued request before its turn: a slow upload never holds the slot
// (CONTRACT 1.2). Also reads a body whose length the backend must be told first.
task<error_code> Session::read_body() {
    loop().arm(deadline_, settings().body_timeout);
    while (!whole()) {
        const auto got = read_more_body();
        if (!got) co_return got.error();
        if (*got == Read::some) continue;
        co_await signal_;
        if (!request_->reply.pump()) co_return errc::client_closed;  // sends the 100 Continue
        if (station().stopping()) co_return request_->unstarted_at_stop();
        if (client_.wire().broken()) co_return errc::client_closed;
        if (deadline_.expired()) co_return errc::body_timeout;
        // order: arrival: others wait for the head of the line, but not for ever.
        const auto state = place_ ? place_->settle() : queue::State::idle;
        if (state == queue::State::expired) co_return expire();
        if (state == queue::State::revoked) co_return taken_out();
    }
    deadline_.disarm();
    co_return error_code();
}

// Keeps what follows this request for its turn, or lets the connection end with this request.
error_code Session::keep_next() {
    const Next whose = !whole()                     ? Next::body
                       : !request_->upgrade.empty() ? Next::tunnel
                       : request_->keep_alive       ? Next::request
                                                    : Next::nobody;
    if (client_.keep(whose)) return {};
    if (whose == Next::tunnel) return errc::input_full;
    request_->keep_alive = false;
    return {};
}

// Passes the upload on while there is room for it and a run to take it.
error_code Session::pass_upload_on() {
    while (!whole() && request_->body.spool.size() < upload_window) {
        if (request_->reply.finished() && request_->run == nullptr) break;
        const auto got = read_more_body();
        if (!got) return got.error();
        if (*got == Read::nothing) break;
        if (request_->run != nullptr) request_->run->notify();
    }
    return {};
}

}  // namespace ticketgate
