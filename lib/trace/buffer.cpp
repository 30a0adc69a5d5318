#include "trace/buffer.hpp"

#include <utility>

namespace ticketgate::trace {
namespace {

// About the number of bytes that an allocator adds to each allocation.
constexpr std::size_t overhead = 16;

std::size_t heap_of(const std::string& text) {
    return text.capacity() <= std::string().capacity() ? 0 : text.capacity() + 1 + overhead;
}

}  // namespace

std::size_t Finished::bytes() const {
    std::size_t sum = sizeof *this;
    for (const std::string* text :
         {&state, &method, &path, &client, &request_id, &queue, &upstream, &server})
        sum += heap_of(*text);
    return sum;
}

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
    const std::size_t spans = request.spans(), bytes = request.bytes();
    if (spans_ + spans > limit_ || bytes_ + bytes > limit_ * bytes_per_span) {
        dropped_ += spans;
        return false;
    }
    const bool before = half_full();
    requests_.push_back(std::move(request));
    spans_ += spans;
    bytes_ += bytes;
    return !before && half_full();
}

// With the lock held.
bool Buffer::half_full() const {
    return spans_ >= limit_ / 2 || bytes_ >= limit_ * bytes_per_span / 2;
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
        bytes_ -= requests_.front().bytes();
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
    bytes_ = 0;
    return std::exchange(spans_, 0);
}

std::size_t Buffer::spans() const {
    const std::scoped_lock guard(lock_);
    return spans_;
}

std::size_t Buffer::bytes() const {
    const std::scoped_lock guard(lock_);
    return bytes_;
}

std::uint64_t Buffer::dropped() const {
    const std::scoped_lock guard(lock_);
    return dropped_;
}

}  // namespace ticketgate::trace
