#include "upstream/resolved_name.hpp"

#include <algorithm>
#include <utility>

#include "net/loop.hpp"

namespace ticketgate {
namespace {

// A name is resolved again after this long.
constexpr Duration resolve_again = 10s;
// A failed look-up is not repeated for each request.
constexpr Duration failure_stands = 1s;

}  // namespace

bool ResolvedName::is_due() const {
    const Duration age = monotonic_now() - resolved_at_;
    if (!addresses_.empty()) return age > resolve_again;
    return !none_ || age >= failure_stands;
}

const net::Endpoint* ResolvedName::address(net::Loop& loop, Observer& asking) {
    if (is_due()) resolve(loop);
    if (!addresses_.empty()) return &addresses_[present_];
    if (resolving_) asking_.push_back(&asking);
    return nullptr;
}

// Carries the resolver's result to the loop. It is allocated before the question is asked, so that
// the result always arrives.
class ResolvedName::Answer final : public net::Job {
 public:
    explicit Answer(std::shared_ptr<ResolvedName> name) : name_(std::move(name)) {}
    std::vector<net::Endpoint> found;
    error_code failure;

 private:
    void run() override { name_->resolved(failure, std::move(found)); }
    const std::shared_ptr<ResolvedName> name_;
};

void ResolvedName::resolve(net::Loop& loop) {
    if (resolving_) return;
    const auto answer = std::make_shared<Answer>(shared_from_this());
    resolver_.resolve(host_, port_,
                      [answer, &loop](const error_code& failure, std::vector<net::Endpoint> found) {
                          answer->failure = failure;
                          answer->found = std::move(found);
                          loop.post(*answer, answer);
                      });
    resolving_ = true;
}

// A failed look-up keeps the old addresses. The present one stays the present one: of the others
// one may have refused a connection a moment ago.
void ResolvedName::resolved(const error_code& failure, std::vector<net::Endpoint> found) {
    failure_ = failure;
    resolving_ = false;
    resolved_at_ = monotonic_now();
    if (!found.empty()) {
        const auto same =
            addresses_.empty() ? found.end() : std::ranges::find(found, addresses_[present_]);
        present_ = same == found.end() ? 0 : static_cast<std::size_t>(same - found.begin());
        addresses_ = std::move(found);
    }
    none_ = addresses_.empty();
    for (Observer* waiter : std::exchange(asking_, {})) waiter->notify();
}

// Requests that failed at one address at the same time move on by one.
void ResolvedName::failed(const net::Endpoint& at) {
    resolved_at_ = Time{};
    if (addresses_[present_] == at) present_ = (present_ + 1) % addresses_.size();
}

}  // namespace ticketgate
