#include "spawn/written.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace ticketgate::spawn {

// Under the mutex: no byte is between the pipe and the count.
std::uint64_t Written::now() const noexcept {
    int left = 0;
    if (pipe_ < 0 || ::ioctl(pipe_, FIONREAD, &left) != 0) left = 0;
    return read_ + static_cast<std::uint64_t>(left);
}

void Written::begins(std::string_view request_id) noexcept {
    const std::lock_guard lock(mutex_);
    authors_.change(now(), request_id);
}

// Without memory the incomplete line is told with the next one, and rightly.
void Written::ends() noexcept {
    const std::lock_guard lock(mutex_);
    if (!authors_.some()) return;
    const std::uint64_t end = now();
    authors_.change(end, {});
    if (end != taken_ || !std::exchange(holds_line_, false)) return;
    try {
        wake_();
    } catch (const std::exception&) {
    }
}

void Written::spared() noexcept {
    const std::lock_guard lock(mutex_);
    authors_.disown();
}

long Written::read(std::span<char> into) noexcept {
    const std::lock_guard lock(mutex_);
    const auto size = ::read(pipe_, into.data(), into.size());
    if (size > 0) read_ += static_cast<std::uint64_t>(size);
    return size;
}

Written::Part Written::take(std::size_t most, std::string& id) {
    const std::lock_guard lock(mutex_);
    const Authors::Part part = authors_.at(taken_);
    id = part.id;
    const auto size = std::min<std::uint64_t>(most, part.end - taken_);
    taken_ += size;
    return {static_cast<std::size_t>(size), part.begins};
}

bool Written::holds_line(bool yes) noexcept {
    const std::lock_guard lock(mutex_);
    const bool over = yes && authors_.at(taken_).begins;
    holds_line_ = yes && !over;
    return !over;
}

void Written::close() noexcept {
    const std::lock_guard lock(mutex_);
    pipe_ = -1;
    holds_line_ = false;  // nobody is there to be woken
}

}  // namespace ticketgate::spawn
