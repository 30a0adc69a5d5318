// Shared by the tests of net: the far end of a connection, blocking, and a loop the test turns.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "net/listener.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"

namespace ticketgate::net {

/// Turns the loop until `condition` holds; returns false after 20 s.
template <class Condition>
bool run_until(Loop& loop, Condition condition) {
    const Time end = monotonic_now() + 20s;
    while (!condition()) {
        if (monotonic_now() > end) return false;
        loop.run_once(5ms);
    }
    return true;
}

/// Turns the loop until it has delivered all events that are there already.
inline void catch_up(Loop& loop) {
    for (int i = 0; i < 3; ++i) loop.run_once(Duration{0});
}

class Peer {
 public:
    explicit Peer(int descriptor) : descriptor_(descriptor) {}
    Peer(Peer&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    ~Peer() { close(); }

    int descriptor() const { return descriptor_; }
    void send(std::string_view bytes) const {
        ASSERT_EQ(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    /// Waits for bytes and returns those that are there; empty at the end.
    std::string receive() const {
        std::string bytes(64 << 10, 0);
        const auto n = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
        return bytes.substr(0, n < 0 ? 0 : static_cast<std::size_t>(n));
    }
    void finish() const { ::shutdown(descriptor_, SHUT_WR); }
    void close() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }
    void reset() {
        const linger at_once{1, 0};
        setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        close();
    }

 private:
    int descriptor_;
};

inline void make_non_blocking(int descriptor) {
    ASSERT_EQ(::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK), 0);
}

/// Two connected ends; the first is for a stream.
inline std::pair<int, int> unix_pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    make_non_blocking(ends[0]);
    return {ends[0], ends[1]};
}

/// The test's own blocking listener on the loopback.
class Door {
 public:
    Door() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const Endpoint any = *Endpoint::from_ip("127.0.0.1", 0);
        EXPECT_EQ(::bind(descriptor_, any.address(), any.size()), 0);
        EXPECT_EQ(::listen(descriptor_, 16), 0);
        socklen_t size = sizeof(sockaddr_storage);
        getsockname(descriptor_, at_.address(), &size);
        at_.set_size(size);
    }
    ~Door() { close(); }
    const Endpoint& at() const { return at_; }
    int descriptor() const { return descriptor_; }
    Peer accept() const {
        const int accepted = ::accept(descriptor_, nullptr, nullptr);
        const int on = 1;  // otherwise each small piece waits for the previous acknowledgement
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        return Peer(accepted);
    }
    void close() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

 private:
    int descriptor_;
    Endpoint at_;
};

inline std::pair<int, int> tcp_pair() {
    const Door door;
    const int near = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(near, door.at().address(), door.at().size()), 0);
    make_non_blocking(near);
    return {near, ::accept(door.descriptor(), nullptr, nullptr)};
}

struct Ear final : Observer {
    void notify() override { ++heard; }
    int heard = 0;
};

}  // namespace ticketgate::net
