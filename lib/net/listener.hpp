// A listening socket on loop 0. Accepted descriptors are non-blocking; the handler chooses their
// loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "net/endpoint.hpp"
#include "net/loop.hpp"
#include "net/socket_file.hpp"

namespace ticketgate::net {

/// Removes a unix socket's file if its process is gone, that is, if it refuses connections. A live
/// socket stays, and so does a file that is not a socket.
void remove_stale_socket(const Endpoint& at);

/// Opens a socket that listens on this address; throws std::system_error that names it. Replaces a
/// unix socket file that no process listens on.
Descriptor open_listener(const Endpoint& at);
/// After another process that has the same TCP socket has ended its listening.
void listen_again(int socket);
/// A listening socket of this process.
struct Opened {
    Opened(Descriptor s, bool p = false) : socket(std::move(s)), passed(p) {}  // NOLINT: a value
    Descriptor socket;
    bool passed;  ///< another process made it, and the file of a unix socket
};
/// Another source of listening sockets: those that this process was given.
using OpenListener = std::function<Opened(const Endpoint& at)>;

class Listener final : private Pollable, private Observer {
 public:
    static constexpr int no_limit = std::numeric_limits<int>::max();
    /// Takes the descriptor over by release(); otherwise the connection is closed when the handler
    /// returns. If a handler throws std::bad_alloc, its connection is closed and `report` is
    /// called.
    using Accepted =
        std::function<void(Descriptor& descriptor, const Endpoint& peer, const Endpoint& local)>;

    /// Listens on a socket from `open`, which may throw. Calls `report` when accept fails, once a
    /// pause, and `knocked` when a client waits while the listener holds. `shut_at`: the system
    /// gives out the lowest free descriptor, so a number of `shut_at` or more shows that few are
    /// left, and these are kept for the connections at hand.
    Listener(Loop& loop, const Endpoint& at, Accepted accepted,
             std::function<void(int error)> report, std::function<void()> knocked = {},
             int shut_at = no_limit, const OpenListener& open = open_listener);
    ~Listener();

    /// At the connection limit: new connections wait in the backlog. Calls `knocked` once when
    /// there is one, and pauses from then on.
    void hold();
    void pause();
    void resume();

    /// The file of the unix socket. One thread at a time may use it.
    SocketFile& file() { return *file_; }
    const SocketFile& file() const { return *file_; }
    int descriptor() const { return descriptor_; }

    /// Accepts the connections that wait by now.
    void look();
    /// Whether no connection waits in the backlog; the next one came after this call. Any thread.
    bool look_for_none();
    /// The connection that is handed over came after this time; Time{}: not known. Within Accepted.
    Time arrived_after() const { return arrived_after_; }

    const Endpoint& local() const { return local_; }  ///< with the real port where 0 was asked for

 private:
    void on_events(std::uint32_t events) override;
    int accept_one();
    void hand_over(int accepted, const Endpoint& peer);
    void update();
    void starve(int error);
    void note_empty(Time at);
    bool has_room() const;
    void notify() override;  // the pause after a failed accept is over
    Loop& loop_;
    Endpoint local_;
    Accepted accepted_;
    std::function<void(int)> report_;
    const int shut_at_;
    Deadline retry_;
    int descriptor_ = -1;
    std::optional<SocketFile> file_;  // set once the socket is open
    enum class Door : std::uint8_t { open, held, shut };
    std::function<void()> knocked_;
    Door door_ = Door::open;           // set by the owner
    std::atomic<Time> empty_{Time{}};  // when the backlog was last seen to be empty
    Time arrived_after_{};
    bool starved_ = false;    // no descriptors, until retry_ or resume()
    bool tight_ = false;      // starved_ a short time ago
    bool listening_ = false;  // registered with the loop
};

}  // namespace ticketgate::net
