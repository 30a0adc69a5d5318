// How an exchange gets its connection: the address, the place in the line to connect, and the next
// address of the same name if that one fails.
#include <cerrno>
#include <utility>

#include "base/shortage.hpp"
#include "upstream/pool.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {
namespace {

// True if another try can succeed soon: the backlog of a unix socket was full, or the system had no
// memory for a socket.
bool may_connect_soon(int error) {
    return error == EAGAIN || no_memory_now(error);
}

}  // namespace

void PooledExchange::go_to(const net::Endpoint& address) {
    to_ = address;
    own_addresses_ = std::make_unique<FixedAddress>(address);
}

AddressSource& PooledExchange::addresses() const {
    return own_addresses_ ? *own_addresses_ : pool_.addresses();
}

// A name may have several addresses, of which some do not accept connections: an IPv6 address of
// `localhost` where the backend listens on 127.0.0.1 only, a container that is gone.
result<Step> PooledExchange::connect() {
    while (!connected_) {
        if (!stream_) {
            const auto begun = begin_connecting();
            if (!begun || *begun != Step::done) return begun;
        }
        const auto state =
            stream_ ? stream_->connected() : net::IoResult{net::Io::failed, 0, refusal_};
        const bool blocked = state.status == net::Io::blocked;
        if (blocked && !deadline_.expired()) return Step::blocked;
        if (state.status == net::Io::ok) return note_connected(), Step::done;
        if (const auto failure = connect_failed(blocked ? ETIMEDOUT : state.error)) return failure;
    }
    return Step::done;
}

void PooledExchange::note_connected() {
    connected_ = true;
    refusal_ = 0;
    deadline_.disarm();
    // From the first byte on: a box between us that forgets idle connections keeps this one.
    if (!to_.is_local()) stream_->insist();
}

// done: it is on its way to an address, or that failed at once.
result<Step> PooledExchange::begin_connecting() {
    const net::Endpoint* address = addresses().address(loop_, *this);
    if (address == nullptr) {
        if (addresses().none()) return errc::upstream_refused;
        return Step::blocked;
    }
    to_ = *address;
    if (!pool_.line().may_try(place_)) {
        refusal_ = pool_.line().refusal();
        return Step::blocked;
    }
    stream_ = pool_.connect(loop_, to_, refusal_);
    if (stream_) stream_->observe(observer_);
    // No event will tell when it can succeed.
    if (!stream_ && may_connect_soon(refusal_)) {
        pool_.line().failed(place_, refusal_, loop_);
        return Step::blocked;
    }
    pool_.line().leave(place_);
    share_time();
    return Step::done;
}

// The last address has the rest of the time.
void PooledExchange::share_time() {
    const std::size_t count = addresses().count();
    if (passed_over_ + 1 >= count) return;
    loop_.arm(deadline_, connect_time_ / static_cast<Duration::rep>(count));
}

// No error: the next address is tried. A certificate that is not trusted is no matter of addresses.
// The first one that was silent has the rest of the time if all others fail: its backlog may have
// been full for a moment.
error_code PooledExchange::connect_failed(int error) {
    if (deadline_.expired() && !silent_) silent_ = to_;
    deadline_.disarm();
    addresses().failed(to_);
    refusal_ = error;
    if (stream_ && stream_->untrusted()) return errc::upstream_untrusted;
    if (++passed_over_ >= addresses().count()) {
        const bool secured = stream_ && !stream_->fault().empty();
        if (!silent_) return secured ? errc::upstream_untrusted : errc::upstream_refused;
        go_to(*std::exchange(silent_, {}));
        --passed_over_;
    }
    stream_.reset();
    return {};
}

}  // namespace ticketgate
