// The link of a worker that accepts connections itself.
#include <cerrno>
#include <exception>

#include "fcgi/record.hpp"
#include "upstream/fcgi_exchange.hpp"
#include "upstream/worker_link.hpp"

namespace ticketgate {
namespace {

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
        if (next_ && next_->hung_up()) next_.reset();
        if (!next_ && exchange_ && exchange_->kept()) {
            const Proof proof = knock(exchange_);
            if (exchange_->kept()) return proof;  // else the worker has just ended the connection
        }
        if (!next_) {
            next_ = upstream().connect_to(loop(), address_);
            next_->observe(observer());
        }
        return knock(next_);
    } catch (const std::exception&) {
        retry_later();
        return Proof::working;
    }
}

Proof SocketLink::knock(std::unique_ptr<FcgiExchange>& at) {
    const auto step = at->send_ahead(knocking());
    if (step) return *step == Step::done ? Proof::idle : Proof::working;
    if (&at == &exchange_) return Proof::working;
    // Its listening socket takes nothing any more. The request that it has may run to its own end.
    if (next_->refusal() == ECONNREFUSED) pool().parted(worker());
    next_.reset();
    retry_later();
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
