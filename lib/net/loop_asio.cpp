// See loop_asio.hpp.
#include "net/loop.hpp"

#ifdef TG_LOOP_ASIO

#include <sys/epoll.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

namespace ticketgate::net {

namespace asio = boost::asio;

extern const bool direct;
const bool direct = std::getenv("TG_LOOP_ASIO_DIRECT") != nullptr;

namespace {

constexpr int most_resumes = 512;

class Posted final : public Job {
 public:
    explicit Posted(std::function<void()> work) : work_(std::move(work)) {}

 private:
    void run() override {
        const std::unique_ptr<Posted> self(this);
        work_();
    }
    void discard() noexcept override { delete this; }
    const std::function<void()> work_;
};

template <class T>
struct InPlace {
    using value_type = T;
    explicit InPlace(void* m) : memory(m) {}
    template <class U>
    InPlace(const InPlace<U>& other) : memory(other.memory) {}  // NOLINT
    T* allocate(std::size_t n) {
        static_assert(sizeof(T) <= 256);
        (void)n;
        return static_cast<T*>(memory);
    }
    void deallocate(T*, std::size_t) {}
    template <class U>
    bool operator==(const InPlace<U>& other) const {
        return memory == other.memory;
    }
    void* memory;
};

}  // namespace

struct Loop::Watched {
    Watched(Context& io, Pollable& p) : descriptor(io), pollable(&p) {}
    asio::posix::basic_stream_descriptor<Context::executor_type> descriptor;
    Pollable* pollable;
};

struct Loop::Wake {
    using allocator_type = InPlace<void>;
    allocator_type get_allocator() const { return allocator_type(loop->wake_memory_.data()); }
    void operator()() const {
        loop->wake_posted_.store(false, std::memory_order_release);
        loop->begin_event();
        loop->run_posted();
        loop->end_event();
    }
    Loop* loop;
};

Loop::Loop(unsigned index)
    : index_(index),
      buffer_(new std::array<char, buffer_size>),
      io_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      timer_(io_) {
    if (direct) {
        arena_ = std::shared_ptr<std::array<char, buffer_size>>(buffer_.get(), [](auto*) {});
    } else {
        arena_.reset(new std::array<char, buffer_size>);
    }
}

Loop::~Loop() {
    while (!posted_.empty()) {
        Job& job = posted_.front();
        posted_.pop_front();
        const auto keep = std::move(job.keep_);
        job.discard();
    }
}

bool Loop::add(Pollable& pollable, int descriptor, std::uint32_t events) {
    auto watched = std::make_shared<Watched>(io_, pollable);
    boost::system::error_code error;
    watched->descriptor.assign(descriptor, error);
    if (error) {
        errno = error.value();
        return false;
    }
    watched_[descriptor] = watched;
    if (events != 0) watch(watched);
    return true;
}

void Loop::watch(const std::shared_ptr<Watched>& watched) {
    watched->descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                                   [this, watched](boost::system::error_code error) {
                                       if (error || watched->pollable == nullptr) return;
                                       begin_event();
                                       watched->pollable->on_events(EPOLLIN);
                                       if (watched->pollable != nullptr) watch(watched);
                                       end_event();
                                   });
}

void Loop::remove(int descriptor) {
    const auto found = watched_.find(descriptor);
    if (found == watched_.end()) return;
    found->second->pollable = nullptr;
    if (found->second->descriptor.is_open()) found->second->descriptor.release();
    watched_.erase(found);
}

void Loop::run() {
    if (!stopping_.load(std::memory_order_acquire)) {
        post_turn();
        const auto guard = asio::make_work_guard(io_);
        io_.restart();
        if (!stopping_.load(std::memory_order_acquire)) io_.run();
    }
    run_posted();
    run_ready(most_resumes);
    spill();
}

void Loop::run_once(Duration longest) {
    by_hand_ = true;
    run_ready(most_resumes);
    if (before_sleep_) longest = std::min(longest, before_sleep_());
    longest = sleep(longest);
    io_.restart();
    if (longest <= Duration{0} || io_.run_one_for(longest) != 0) io_.poll();
    begin_turn();
    looked_ = woke_;
    deadlines_.expire(woke_);
    run_ready(most_resumes);
    spill();
    by_hand_ = false;
}

Duration Loop::sleep(Duration longest) {
    if (!scheduler_.idle() || !again_.empty()) return Duration{0};
    if (const auto next = deadlines_.next())
        longest = std::min(longest, Duration(*next - monotonic_now()));
    return std::min(longest, Duration(24h));
}

void Loop::begin_turn() {
    woke_ = monotonic_now();
    ++turns_;
    auto due = std::move(again_);
    while (!due.empty()) {
        Pollable& pollable = due.front();
        due.pop_front();
        pollable.on_events(0);
    }
}

void Loop::begin_event() {
    if (by_hand_) return;
    if (direct) {
        woke_ = looked_ = monotonic_now();
    } else if (!turn_posted_) {
        begin_turn();
        looked_ = woke_;
        post_turn();
    }
}

void Loop::end_event() {
    if (direct && !by_hand_) settle();
}

void Loop::post_turn() {
    turn_posted_ = true;
    asio::post(io_, [this] {
        turn_posted_ = false;
        if (direct || !again_.empty() || !scheduler_.idle()) begin_turn();
        deadlines_.expire(woke_);
        settle();
    });
}

void Loop::settle() {
    run_ready(most_resumes);
    spill();
    if ((!scheduler_.idle() || !again_.empty()) && !turn_posted_) post_turn();
    set_timer();
}

// Only an earlier moment costs a system call; a later one is found out when the timer fires.
void Loop::set_timer() {
    Time next = Time::max();
    if (before_sleep_) {
        const Duration most = before_sleep_();
        if (most < Duration(24h)) next = woke_ + most;
    }
    if (const auto deadline = deadlines_.next()) next = std::min(next, *deadline);
    if (next >= timer_at_) return;
    timer_at_ = next;
    timer_.expires_at(next);
    timer_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        timer_at_ = Time::max();
        begin_event();
        woke_ = monotonic_now();
        deadlines_.expire(woke_);
        if (direct) settle();
    });
}

void Loop::hold(Holder& holder, std::size_t bytes) {
    arena_used_ += bytes;
    holders_.push_back(holder);
}

void Loop::spill() {
    while (!holders_.empty()) {
        Holder& holder = holders_.front();
        holders_.pop_front();
        holder.spill();
    }
    arena_used_ = 0;
}

void Loop::spill_others(Holder& except) {
    if (!direct) return;
    for (auto i = holders_.begin(); i != holders_.end();) {
        Holder& holder = *i++;
        if (&holder == &except) continue;
        holder.unlink();
        holder.spill();
    }
}

void Loop::turn(int most) {
    begin_turn();
    deadlines_.expire(woke_);
    run_posted();
    run_ready(most);
    if (before_sleep_) (void)before_sleep_();
}

bool Loop::busy() {
    if (!scheduler_.idle() || !deferred_.empty() || !again_.empty()) return true;
    const std::lock_guard lock(posted_lock_);
    return !posted_.empty();
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
    post(*new Posted(std::move(work)));
}

void Loop::post(Job& job, std::shared_ptr<void> keep) noexcept {
    {
        const std::lock_guard lock(posted_lock_);
        if (job.posted_) return;
        job.posted_ = true;
        job.keep_ = std::move(keep);
        posted_.push_back(job);
    }
    if (!wake_posted_.exchange(true)) asio::post(io_, Wake{this});
}

void Loop::run_posted() {
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

void Loop::stop() {
    stopping_.store(true, std::memory_order_release);
    io_.stop();
}

}  // namespace ticketgate::net

#endif
