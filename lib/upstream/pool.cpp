#include "upstream/pool.hpp"

#include <algorithm>

#include "upstream/pooled_upstream.hpp"

namespace ticketgate {
namespace {

// A name is resolved again after this long: containers come back under other addresses.
constexpr Duration resolve_again = 10s;
// A failed look-up is not repeated for each request.
constexpr Duration failure_stands = 1s;

// How long a connection rests after an answer without a body, or from a backend that has lately
// sent more than the length it declared: any bytes after the answer come within this time. Short,
// as 304s come by the dozen, and each of them would need a connection of its own.
constexpr Duration rest_time = 20ms;

}  // namespace

Pool::Pool(PooledUpstream& upstream) : upstream_(upstream), policy_(upstream.settings_.trust) {}

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

// Connections after one that still rests do so as well. A request that gets a new connection though
// some are idle replaces one of them, or idle connections would soon fill the backend.
std::unique_ptr<PooledExchange> Pool::take_idle(Time now, bool careful) {
    while (!idle_.empty()) {
        PooledExchange& first = idle_.front();
        if (first.usable_from() > now) break;
        if (careful && !policy_.trusts(first.idle_for(now), now)) {
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

void Pool::forget(PooledExchange& exchange) {
    if (exchange.is_linked()) idle_.erase(idle_.iterator_to(exchange));
    if (!asking_.empty()) std::erase(asking_, &exchange);
}

void Pool::retire() {
    retired_ = true;
    while (!idle_.empty()) delete &idle_.front();
}

const net::Endpoint* Pool::address(net::Loop& loop, PooledExchange& asking) {
    const auto& s = settings();
    if (addresses_.empty() && !s.unix_path.empty())
        addresses_.push_back(*net::Endpoint::from_unix(s.unix_path));
    if (addresses_.empty()) {
        if (const auto literal = net::Endpoint::from_ip(s.host, s.port))
            addresses_.push_back(*literal);
    }
    const bool named = s.unix_path.empty() && !net::Endpoint::from_ip(s.host, s.port);
    const Duration age = monotonic_now() - resolved_at_;
    const bool failed_just_now = unresolvable_ && age < failure_stands;
    if (named && (addresses_.empty() ? !failed_just_now : age > resolve_again))
        start_resolving(loop);
    if (!addresses_.empty()) return &addresses_[next_address_ % addresses_.size()];
    if (resolving_) asking_.push_back(&asking);
    return nullptr;
}

// Carries the resolver's result to the pool's loop. It is allocated before the question is asked,
// so that the result always arrives.
class Pool::Answer final : public net::Job {
 public:
    Answer(Pool& pool, std::shared_ptr<Upstream> owner) : pool_(pool), owner_(std::move(owner)) {}
    std::vector<net::Endpoint> found;
    error_code failure;

 private:
    void run() override { pool_.resolved(failure, std::move(found)); }
    Pool& pool_;
    const std::shared_ptr<Upstream> owner_;  // of the pool
};

void Pool::start_resolving(net::Loop& loop) {
    if (resolving_) return;
    const auto answer = std::make_shared<Answer>(*this, upstream_.shared_from_this());
    upstream_.resolver_.resolve(
        settings().host, settings().port,
        [answer, &loop](const error_code& failure, std::vector<net::Endpoint> found) {
            answer->failure = failure;
            answer->found = std::move(found);
            loop.post(*answer, answer);
        });
    resolving_ = true;
}

// A failed look-up keeps the old addresses.
void Pool::resolved(const error_code& failure, std::vector<net::Endpoint> found) {
    resolve_failure_ = failure;
    resolving_ = false;
    resolved_at_ = monotonic_now();
    if (!found.empty()) {
        addresses_ = std::move(found);
        next_address_ = 0;
    }
    unresolvable_ = addresses_.empty();
    for (PooledExchange* exchange : std::exchange(asking_, {})) exchange->address_known();
}

void Pool::address_failed() {
    ++next_address_;
    resolved_at_ = Time{};
}

}  // namespace ticketgate
