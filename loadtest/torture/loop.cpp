#include "loop.hpp"

#include <bit>

namespace loadtest {

namespace {

constexpr std::uint64_t alarm_mark = ~0ULL;

}  // namespace

void Socket::open(Fd fd) {
    reset();
    fd_ = std::move(fd);
    stirred_ = false;
    const auto number = static_cast<std::size_t>(fd_.get());
    if (loop_.watched_.size() <= number) loop_.watched_.resize(number + 1);
    auto& watched = loop_.watched_[number];
    watched.socket = this;
    const std::uint64_t key = std::uint64_t{++watched.generation} << 32U | number;
    loop_.poller_.add(fd_, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, std::bit_cast<void*>(key));
}

void Socket::reset() {
    if (!fd_.open()) return;
    loop_.watched_[static_cast<std::size_t>(fd_.get())].socket = nullptr;
    fd_.reset();
}

void Socket::wake() {
    if (waiter_) std::exchange(waiter_, nullptr).resume();
}

Loop::Loop() {
    poller_.add(alarms_.fd(), EPOLLIN, std::bit_cast<void*>(alarm_mark));
}

namespace {

Task<> note_end(Task<> main, bool& ended) {
    co_await main;
    ended = true;
}

}  // namespace

void Loop::run(Task<> main) {
    bool ended = false;
    Crew crew;
    crew.add(note_end(std::move(main), ended));
    while (!ended) {
        for (const auto& event : poller_.wait(static_cast<int>(tick_us / 1000))) handle(event);
        if (const auto now = now_us(); now >= next_look_us_) look_at_deadlines(now);
    }
}

void Loop::handle(const epoll_event& event) {
    const auto key = event.data.u64;
    if (key == alarm_mark) return run_alarms();
    const auto& watched = watched_[key & 0xffffffffU];
    if (watched.socket == nullptr || watched.generation != key >> 32U) return;
    watched.socket->stirred_ = true;
    watched.socket->wake();
}

void Loop::run_alarms() {
    std::uint64_t token = 0;
    while (alarms_.take_due(now_us(), token)) {
        std::coroutine_handle<>::from_address(std::bit_cast<void*>(token)).resume();
    }
    alarms_.rearm();
}

void Loop::look_at_deadlines(Micros now) {
    next_look_us_ = now + tick_us;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        auto* socket = watched_[i].socket;
        if (socket != nullptr && socket->waiter_ && now >= socket->deadline_) socket->wake();
    }
}

void Loop::Sleep::await_suspend(std::coroutine_handle<> waiter) {
    loop_.alarms_.set(until_, std::bit_cast<std::uint64_t>(waiter.address()));
}

}  // namespace loadtest
