#include "spawn/supervisor.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "spawn/crew.hpp"
#include "spawn/group.hpp"

namespace ticketgate::spawn {
namespace {

// The longest wait for the end of a process before those whose time is up are killed; while the
// group of one that has ended still lives.
constexpr int look_again_ms = 100, look_at_dying_ms = 2;

// Between two tries at the end without memory.
constexpr int shortage_pause_ms = 10;

// Until one more of these processes has ended.
void wait_for_an_end(const std::vector<pid_t>& pids) {
    std::vector<pollfd> ends;
    for (const pid_t pid : pids)
        if (!has_ended(pid))
            ends.push_back({static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0});
    const int longest = ends.size() == pids.size() ? look_again_ms : look_at_dying_ms;
    (void)::poll(ends.data(), ends.size(), longest);
    for (const pollfd& end : ends)
        if (end.fd >= 0) ::close(end.fd);
}

}  // namespace

Supervisor::Supervisor(boost::asio::io_context& io, Log& log, metrics::Registry& metrics,
                       std::vector<net::Loop*> loops, std::size_t most_workers)
    : io_(io),
      log_(log),
      metrics_(metrics),
      loops_(std::move(loops)),
      most_workers_(most_workers),
      left_timer_(io) {
    left_.reserve(most_pipes_of_jobs);
}

// Only after an exception are there workers left.
Supervisor::~Supervisor() {
    for (;;) {
        try {
            end_all();
            return;
        } catch (const std::bad_alloc&) {
            (void)::poll(nullptr, 0, shortage_pause_ms);
        }
    }
}

void Supervisor::end_all() {
    end({});
    hurry();
    while (!ended()) {
        std::vector<pid_t> left;
        for (const auto& crew : crews_) {
            crew->look();
            crew->reap();
            for (const pid_t pid : crew->pids()) left.push_back(pid);
        }
        if (!left.empty()) wait_for_an_end(left);
    }
}

std::shared_ptr<Pool> Supervisor::make(const std::string& name, const Recipe& recipe,
                                       MakeLink link) {
    crews_.push_back(std::make_shared<Crew>(*this, name, recipe, std::move(link)));
    return crews_.back()->pool();
}

void Supervisor::adopt(const std::vector<std::shared_ptr<Pool>>& pools) {
    for (const auto& crew : crews_) crew->in_force(std::ranges::count(pools, crew->pool()) != 0);
    std::erase_if(crews_, [](const auto& crew) { return crew->over(); });
}

// Process 1 has to reap the orphans of its container, or they stay for ever.
void Supervisor::reap() {
    if (::getpid() != 1) {
        for (const auto& crew : crews_) crew->reap();
    } else {
        while (const pid_t pid = any_ended()) {
            if (std::ranges::any_of(crews_, [pid](const auto& crew) { return crew->reap(pid); })) {
                if (has_ended(pid)) reap_orphans();
                break;
            }
            (void)::waitpid(pid, nullptr, WNOHANG);
        }
    }
    for (const auto& crew : crews_) crew->look();
    std::erase_if(crews_, [](const auto& crew) { return crew->over(); });
    if (!looks_at_left_) look_at_left();
}

// Behind a worker whose group does not end yet.
void Supervisor::reap_orphans() {
    each_ended([this](pid_t pid) {
        if (std::ranges::none_of(crews_, [pid](const auto& crew) { return crew->has(pid); }))
            (void)::waitpid(pid, nullptr, WNOHANG);
    });
}

// Not at once: a crew calls it.
void Supervisor::forget_soon() {
    boost::asio::post(
        io_, [this] { std::erase_if(crews_, [](const auto& crew) { return crew->over(); }); });
}

bool Supervisor::is_full() const {
    std::size_t workers = 0;
    for (const auto& crew : crews_) workers += crew->size();
    return workers >= most_workers_;
}

// A background job whose output nobody reads would end by SIGPIPE. Beyond the limit the one does
// whose worker has ended first.
void Supervisor::read_on(std::shared_ptr<Output> output, std::shared_ptr<Voice> voice) noexcept {
    std::erase_if(left_, [](const auto& one) { return !one.output->is_open(); });
    if (left_.size() == most_pipes_of_jobs) {
        left_.front().output->close();
        left_.erase(left_.begin());
    }
    left_.push_back({std::move(output), std::move(voice)});  // has its room
}

// Their crews, which tell of the lines of living workers, may be gone.
void Supervisor::look_at_left() {
    std::erase_if(left_, [](const auto& one) { return !one.output->is_open(); });
    if (left_.empty()) return;
    for (const auto& one : left_) one.voice->tell_dropped(false);
    left_timer_.expires_after(look_at_least);
    left_timer_.async_wait([this](const error_code& error) {
        looks_at_left_ = false;
        if (!error) look_at_left();
    });
    looks_at_left_ = true;
}

void Supervisor::end(std::function<void()> ended) {
    tell_ended_ = std::move(ended);
    for (const auto& crew : crews_) {
        crew->pool()->stop();
        crew->look();
    }
    tell_if_ended();
}

void Supervisor::hurry() {
    for (const auto& crew : crews_) {
        crew->hurry();
        crew->look();
    }
}

bool Supervisor::ended() const {
    return std::ranges::all_of(crews_, [](const auto& crew) { return crew->ended(); });
}

void Supervisor::tell_if_ended() {
    if (tell_ended_ && ended()) std::exchange(tell_ended_, {})();
}

std::vector<std::shared_ptr<Pool>> Supervisor::pools() const {
    std::vector<std::shared_ptr<Pool>> out;
    out.reserve(crews_.size());
    for (const auto& crew : crews_) out.push_back(crew->pool());
    return out;
}

}  // namespace ticketgate::spawn
