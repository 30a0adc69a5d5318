#include "net/loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace ticketgate::net {
namespace {

// Between two polls of the sockets; keeps a coroutine that always has work from starving the rest.
constexpr int most_resumes = 512;
constexpr int most_events = 256;

// How long a pollable waits whose call failed for want of memory, and how many try again at once:
// a shortage that lasts costs no more than these calls.
constexpr Duration pause = 50ms;
constexpr int most_tries = 256;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

Loop::Loop(unsigned index)
    : index_(index),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffer_(new std::array<char, buffer_size>) {
    if (epoll_ < 0 || wake_ < 0) fail("event loop");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = nullptr;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) fail("event loop");
}

Loop::~Loop() {
    while (!posted_.empty()) {
        const auto keep = std::move(posted_.front().keep_);
        posted_.pop_front();
    }
    ::close(wake_);
    ::close(epoll_);
}

bool Loop::add(Pollable& pollable, int descriptor, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &pollable;
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Loop::remove(int descriptor) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

void Loop::run() {
    while (!stopping_.load(std::memory_order_acquire)) run_once(never);
    run_posted();
    run_ready(most_resumes);
}

void Loop::run_once(Duration longest) {
    run_ready(most_resumes);
    if (before_sleep_) longest = std::min(longest, before_sleep_());
    std::array<epoll_event, most_events> events;
    const int count = epoll_wait(epoll_, events.data(), most_events, sleep_ms(longest));
    begin_turn();
    if (count < most_events) looked_ = woke_;  // else more events wait
    bool posted = false;
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.ptr == nullptr) {
            posted = true;
        } else {
            static_cast<Pollable*>(event.data.ptr)->on_events(event.events);
        }
    }
    deadlines_.expire(woke_);
    if (posted) run_posted();
    run_ready(most_resumes);
}

// First calls the pollables that asked for another turn: the sockets have been polled since.
void Loop::begin_turn() {
    woke_ = monotonic_now();
    ++turns_;
    auto due = std::move(again_);
    call_all(due);
}

void Loop::call_all(Pollables& due) {
    while (!due.empty()) {
        Pollable& pollable = due.front();
        due.pop_front();
        pollable.on_events(0);
    }
}

void Loop::queue(Pollable& pollable, Pollables& in) {
    if (pollable.is_linked()) pollable.unlink();
    in.push_back(pollable);
}

void Loop::later(Pollable& pollable, int error) {
    if (pollable.is_linked()) return;  // its turn comes
    later_.push_back(pollable);
    if (pause_ends_.armed()) return;
    deadlines_.arm(pause_ends_, pause, woke_);
    if (report_pause_) report_pause_(error);
}

// A try that fails pauses anew, behind those that have waited for longer.
void Loop::end_pause() {
    Pollables due;
    for (int i = 0; i < most_tries && !later_.empty(); ++i) {
        Pollable& pollable = later_.front();
        later_.pop_front();
        due.push_back(pollable);
    }
    if (!later_.empty()) deadlines_.arm(pause_ends_, pause, woke_);
    call_all(due);
}

void Loop::turn(int most) {
    begin_turn();
    deadlines_.expire(woke_);
    run_posted();
    run_ready(most);
    if (before_sleep_) (void)before_sleep_();  // a turn() does not sleep
}

bool Loop::busy() {
    if (!scheduler_.idle() || !deferred_.empty() || !again_.empty()) return true;
    const std::lock_guard lock(posted_lock_);
    return !posted_.empty();
}

// Rounds up: waking a little late breaks no promise, waking early would only mean sleeping again.
int Loop::sleep_ms(Duration longest) {
    if (!scheduler_.idle() || !again_.empty()) return 0;
    if (const auto next = deadlines_.next())
        longest = std::min(longest, Duration(*next - monotonic_now()));
    longest = std::clamp(longest, Duration{0}, Duration(24h));
    return static_cast<int>((longest.count() + 999'999) / 1'000'000);
}

void Loop::run_ready(int most) {
    while (!deferred_.empty()) {
        for (auto& job : std::exchange(deferred_, {})) {
            job();
            send_departures();
        }
    }
    for (int i = 0; i < most && scheduler_.run_one(); ++i) send_departures();
}

void Loop::send_departures() {
    while (!departures_.empty()) {
        auto& hop = static_cast<Hop&>(departures_.front());
        departures_.pop_front();
        hop.to_.post(hop);
    }
}

void Loop::post(std::function<void()> work) {
    const auto call = std::make_shared<Call>(std::move(work));
    post(*call, call);
}

void Loop::post(Job& job, std::shared_ptr<void> keep) noexcept {
    bool first = false;
    {
        const std::lock_guard lock(posted_lock_);
        if (job.posted_) return;
        job.posted_ = true;
        job.keep_ = std::move(keep);
        first = posted_.empty();
        posted_.push_back(job);
    }
    const std::uint64_t one = 1;
    if (first) (void)!::write(wake_, &one, sizeof(one));  // cannot fail short of 2^64 posts
}

// Jobs posted meanwhile wait for the next turn. A job is unlinked before it runs: its run may post
// it again, or destroy it.
void Loop::run_posted() {
    std::uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof(count));
    Jobs jobs;
    {
        const std::lock_guard lock(posted_lock_);
        jobs.swap(posted_);
    }
    while (!jobs.empty()) {
        Job& job = jobs.front();
        jobs.pop_front();
        std::shared_ptr<void> keep;
        {
            const std::lock_guard lock(posted_lock_);
            keep = std::move(job.keep_);
            job.posted_ = false;
        }
        job.run();
        send_departures();
    }
}

void Loop::stop() noexcept {
    stopping_.store(true, std::memory_order_release);
    post(wake_up_);
}

}  // namespace ticketgate::net
