#include "upstream/keep_policy.hpp"

#include <algorithm>

namespace ticketgate {
namespace {

// Divides the idle age at which a backend closes, or up to which connections are known to last. A
// backend's clock starts when its answer is written, ours when it is read, and a busy machine adds
// a delay between them.
constexpr int safe_part = 2;

// After a declared length: a page's footer comes at once, output of a slow script may take longer.
constexpr Duration first_rest = 250ms, longest_rest = 2s;

}  // namespace

void KeepPolicy::answered(Duration age) {
    if (answers_ < limits_.proven_by) ++answers_;
    outlived(age);
}

void KeepPolicy::outlived(Duration age) {
    outlived_ = std::max(outlived_, age);
}

// A close at about the remembered age or before it renews the memory: a backend's idle timeout is
// not forgotten while it keeps closing connections.
void KeepPolicy::closed(Duration age, Time now) {
    const bool remembered = now < remembered_until_;
    if (!remembered || age <= safe_part * closed_at_) remembered_until_ = now + limits_.memory;
    closed_at_ = remembered ? std::min(closed_at_, age) : age;
    outlived_ = std::min(outlived_, age);
    if (age > limits_.soon) return;
    answers_ = 0;
    revoked_until_ = now + limits_.memory;
}

void KeepPolicy::crossed(Duration age, Time now) {
    lost_at_ = now < lost_until_ ? std::min(lost_at_, age) : age;
    lost_until_ = now + limits_.memory;
    closed(age, now);
}

void KeepPolicy::overran(Time now) {
    rest_ = std::clamp(4 * rest(now), Duration(first_rest), Duration(longest_rest));
    overran_until_ = now + limits_.memory;
}

bool KeepPolicy::trusts(Duration age, Time now) const {
    if (answers_ < limits_.proven_by || now < revoked_until_) return false;
    const bool remembered = now < remembered_until_;
    return age <= (remembered ? std::min(closed_at_, outlived_) : outlived_) / safe_part;
}

bool KeepPolicy::allows(Duration age, Time now) const {
    return now >= lost_until_ || age < lost_at_ / safe_part;
}

}  // namespace ticketgate
