#pragma once
// Sockets, epoll and time for the load tools. One thread, non-blocking, no dependency on the
// product's own libraries, so that a fault there cannot hide in the tool that looks for it.

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadtest {

using Micros = std::uint64_t;

// CLOCK_MONOTONIC: driver and backend run on one machine and compare these readings.
Micros now_us();

class Fd {
 public:
    Fd() = default;
    explicit Fd(int fd) : fd_{fd} {}
    Fd(Fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    Fd& operator=(Fd&& other) noexcept;
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }
    void reset();

 private:
    int fd_ = -1;
};

// A resolved "PORT", "HOST:PORT" or "unix:PATH".
struct Endpoint {
    sockaddr_storage address{};
    socklen_t size = 0;
    std::string text;
};

// Throws std::runtime_error on an address that cannot be resolved.
Endpoint resolve(std::string_view text);

// Throws std::runtime_error when the address is taken.
Fd listen_on(const Endpoint& endpoint);
std::string bound_name(const Fd& listener);

// The connection may still be in progress: writable means connected or failed. A small receive
// buffer (0 = the system's) lets a slow reader push back early. `from`: the own address.
Fd connect_to(const Endpoint& endpoint, int receive_buffer = 0, const Endpoint* from = nullptr);
Fd accept_from(const Fd& listener);

enum class Io { done, again, closed };
struct IoResult {
    Io state = Io::again;
    std::size_t size = 0;
};
IoResult receive(const Fd& fd, std::span<char> into);
IoResult transmit(const Fd& fd, std::string_view first, std::string_view second = {});

class Poller {
 public:
    Poller();
    void add(const Fd& fd, std::uint32_t events, void* who);
    void change(const Fd& fd, std::uint32_t events, void* who);
    void remove(const Fd& fd);
    std::span<const epoll_event> wait(int timeout_ms);

 private:
    Fd fd_;
    std::array<epoll_event, 256> events_{};
};

// Alarms of one loop on one timerfd: hrtimer precision, where epoll's own time-out has
// milliseconds and 50 us of slack.
class Alarms {
 public:
    Alarms();
    const Fd& fd() const { return fd_; }
    void set(Micros when, std::uint64_t token);
    // The next token that is due, or false.
    bool take_due(Micros now, std::uint64_t& token);
    // Call after the last due one was taken.
    void rearm();

 private:
    using Entry = std::pair<Micros, std::uint64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
    Micros armed_ = 0;
    Fd fd_;
};

// Tools end by themselves: after the given seconds, SIGTERM or SIGINT.
void end_after(unsigned seconds);
bool ending();
// SIGUSR1 to a driver: nothing new is sent, what was sent is waited for.
bool finishing();

}  // namespace loadtest
