#include "http/pace.hpp"

#include <algorithm>

namespace ticketgate::http {

void Pace::start(Time now) {
    if (!begun_) left_ = patience_;
    if (!running_) last_ = now;
    begun_ = running_ = true;
}

bool Pace::took(std::uint64_t bytes, Time now) {
    if (rate_ == 0) return true;
    start(now);
    left_ -= now - last_;
    last_ = now;
    if (left_ < Duration(0)) return false;
    // This many bytes fill the bucket anyway; more could overflow below.
    const auto full =
        static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(patience_).count()) *
        rate_;
    const auto counted = static_cast<double>(std::min(bytes, full)) / static_cast<double>(rate_);
    left_ = std::min(patience_, left_ + std::chrono::duration_cast<Duration>(
                                            std::chrono::duration<double>(counted)));
    return true;
}

}  // namespace ticketgate::http
