// The link of a worker that accepts connections itself.
#include <poll.h>

#include <cerrno>
#include <exception>

#include "fcgi/record.hpp"
#include "upstream/fcgi_exchange.hpp"
#include "upstream/worker_link.hpp"

namespace ticketgate {
namespace {

// Nothing can come any more where only the reading side is shut (POLLRDHUP). Connections in the
// backlog raise neither.
bool is_shut(int listener) {
    pollfd one{listener, POLLRDHUP, 0};
    return ::poll(&one, 1, 0) == 1 && (one.revents & (POLLHUP | POLLRDHUP)) != 0;
}

// Works for a socket whose name is gone from the file system (unix(7), proc(5)).
net::Endpoint by_descriptor(int path) {
    return *net::Endpoint::from_unix("/proc/self/fd/" + std::to_string(path));
}

// The header of BEGIN_REQUEST, which is the same for every request.
std::string_view knocking() {
    static const std::string bytes = [] {
        std::string out;
        fcgi::append_begin(out, true);
        return out.substr(0, fcgi::header_size);
    }();
    return bytes;
}

}  // namespace

SocketLink::SocketLink(std::shared_ptr<FcgiUpstream> upstream, std::shared_ptr<spawn::Pool> pool,
                       spawn::Worker& worker)
    : WorkerLink(std::move(upstream), std::move(pool), worker),
      address_(by_descriptor(worker.wire.path.get())) {}

Proof SocketLink::prove() noexcept {
    if (gone()) return Proof::gone;
    try {
        if (next_ && next_->hung_up() && !may_connect_again()) return Proof::working;
        if (!next_ && exchange_ && exchange_->kept()) {
            const auto step = exchange_->send_ahead(knocking());
            if (step && *step == Step::done) return Proof::idle;
            if (exchange_->kept()) return works_on();
            // The worker has just ended the connection.
        }
        if (!next_) connect();
        return knock_on_next();
    } catch (const std::exception&) {
        retry_later(retry_after);
        return Proof::working;
    }
}

// A worker that closes each connection unread is not asked in a circle.
bool SocketLink::may_connect_again() {
    refused();
    next_.reset();
    if (loop().woke() - connected_ >= retry_after) return true;
    retry_later(retry_after);
    return false;
}

void SocketLink::connect() {
    next_ = upstream().connect_to(loop(), address_);
    next_->observe(observer());
    connected_ = loop().woke();
}

// A listening socket that takes nothing any more refuses the connection, or had it in its backlog
// before and tells nothing.
Proof SocketLink::knock_on_next() {
    const auto step = next_->send_ahead(knocking());
    if (step && *step == Step::done) return Proof::idle;
    if (step) return works_on();
    refused();
    next_.reset();
    retry_later(retry_after);
    return Proof::working;
}

// Another errno than that is a shortage here. None: the worker has ended the connection.
void SocketLink::refused() noexcept {
    if (next_->refusal() == ECONNREFUSED) part();
    if (next_->refusal() == 0) pool().refuses(worker());
}

// The worker has not read the bytes sent ahead. With its listening socket shut it may never do so.
Proof SocketLink::works_on() noexcept {
    if (is_shut(worker().wire.listener.get())) part();
    retry_later(look_again);
    return Proof::working;
}

bool SocketLink::begin() {
    if (next_) exchange_ = std::move(next_);
    exchange_->begin_again();
    exchange_->observe(observer());
    return true;
}

void SocketLink::observe(Observer* observer) {
    if (next_) next_->observe(observer);
}

void SocketLink::hang_up() noexcept {
    if (next_) next_->hang_up();
}

}  // namespace ticketgate
