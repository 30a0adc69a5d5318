#include "upstream/pool.hpp"

#include <algorithm>
#include <new>

#include "upstream/pooled_upstream.hpp"

namespace ticketgate {
namespace {

// How long a connection rests after an answer without a body: bytes that a backend writes behind it
// come within this time, over a slow network too.
constexpr Duration rest_time = 250ms;

// Connections of a pool that rest, while requests get new ones. Small backends have few workers.
constexpr std::size_t most_resting = 4;

}  // namespace

Pool::Pool(PooledUpstream& upstream, std::shared_ptr<AddressSource> addresses)
    : upstream_(upstream), policy_(upstream.settings_.trust), addresses_(std::move(addresses)) {}

Pool::~Pool() {
    retire();
}

const UpstreamSettings& Pool::settings() const {
    return upstream_.settings_;
}

std::unique_ptr<Exchange> Pool::open(net::Loop& loop, bool fresh, bool careful) {
    if (!fresh) {
        if (auto exchange = take_idle(loop.woke(), careful)) {
            exchange->reuse(upstream_.shared_from_this());
            return exchange;
        }
    }
    return upstream_.make_exchange(*this, loop);
}

std::unique_ptr<Exchange> Pool::open_at(net::Loop& loop, const net::Endpoint& address) {
    auto exchange = upstream_.make_exchange(*this, loop);
    exchange->go_to(address);
    return exchange;
}

// Connections after one that still rests do so as well. A request that gets a new connection though
// some are idle replaces one of them, or idle connections would soon fill the backend. Of those
// that rest a few may stay: they can be used soon.
std::unique_ptr<PooledExchange> Pool::take_idle(Time now, bool careful) {
    while (!idle_.empty()) {
        PooledExchange& first = idle_.front();
        if (first.usable_from() > now) {
            if (idle_.size() >= most_resting) delete &idle_.back();
            break;
        }
        const Duration age = first.idle_for(now);
        if (careful ? !policy_.trusts(age, now) : !policy_.allows(age, now)) {
            delete &idle_.back();
            break;
        }
        std::unique_ptr<PooledExchange> exchange(&first);
        idle_.pop_front();
        if (exchange->usable(careful)) return exchange;
        policy_.closed(exchange->idle_for(now), now);
    }
    return nullptr;
}

std::unique_ptr<net::Stream> Pool::connect(net::Loop& loop, const net::Endpoint& to, int& error) {
    return upstream_.connect_(loop, to, error);
}

void Pool::keep(std::unique_ptr<PooledExchange> idle, std::uint32_t told_timeout_s,
                Silence silence) {
    if (retired_ || idle_.size() >= settings().max_idle) return;
    Duration timeout = settings().idle_timeout;
    // The backend told when it will close: close a second earlier.
    if (told_timeout_s != 0) timeout = std::min(timeout, Duration(seconds(told_timeout_s)) - 1s);
    if (timeout <= Duration{0}) return;
    PooledExchange& kept = *idle.release();
    Duration rest = policy_.rest(kept.loop().woke());
    if (silence == Silence::likely) rest = std::max(rest, rest_time);
    rest == Duration{0} ? idle_.push_front(kept) : idle_.push_back(kept);
    kept.become_idle(timeout, rest);
}

// The operator sees it in `top`: nothing else shows that a client may have got another one's
// answer.
void Pool::overran(Time now) noexcept try {
    policy_.overran(now);
    upstream_.failures.note("it sent bytes that belong to no answer", wall_now());
} catch (const std::bad_alloc&) {
    // Then only the policy knows.
}

void Pool::forget(PooledExchange& exchange) {
    if (exchange.is_linked()) idle_.erase(idle_.iterator_to(exchange));
}

void Pool::retire() {
    retired_ = true;
    while (!idle_.empty()) delete &idle_.front();
}

}  // namespace ticketgate
