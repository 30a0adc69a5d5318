#include "trace/buffer.hpp"

#include <utility>

namespace ticketgate::trace {

void Buffer::limit(std::size_t spans) {
    const std::scoped_lock guard(lock_);
    limit_ = spans;
}

void Buffer::push(Finished request) {
    if (add(std::move(request))) half_full_();
}

// True: it has become half full.
bool Buffer::add(Finished&& request) {
    const std::scoped_lock guard(lock_);
    const std::size_t before = spans_, more = request.spans();
    if (before + more > limit_) {
        dropped_ += more;
        return false;
    }
    requests_.push_back(std::move(request));
    spans_ += more;
    return before < limit_ / 2 && spans_ >= limit_ / 2;
}

void Buffer::lose(std::size_t spans) noexcept {
    const std::scoped_lock guard(lock_);
    dropped_ += spans;
}

std::vector<Finished> Buffer::take(std::size_t spans) {
    const std::scoped_lock guard(lock_);
    std::vector<Finished> taken;
    for (std::size_t count = 0; !requests_.empty();) {
        const std::size_t more = requests_.front().spans();
        if (!taken.empty() && count + more > spans) break;
        taken.push_back(std::move(requests_.front()));
        requests_.pop_front();
        count += more;
        spans_ -= more;
    }
    return taken;
}

std::size_t Buffer::clear() {
    const std::scoped_lock guard(lock_);
    requests_.clear();
    return std::exchange(spans_, 0);
}

std::size_t Buffer::spans() const {
    const std::scoped_lock guard(lock_);
    return spans_;
}

std::uint64_t Buffer::dropped() const {
    const std::scoped_lock guard(lock_);
    return dropped_;
}

}  // namespace ticketgate::trace
