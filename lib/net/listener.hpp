// A listening socket on loop 0. Accepted descriptors are non-blocking; the handler chooses their
// loop.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/descriptor.hpp"
#include "net/endpoint.hpp"
#include "net/loop.hpp"

namespace ticketgate::net {

/// Removes the file of a unix socket that a process which is gone has left behind: it refuses
/// connections. A live socket, and a file that is none, stay.
void remove_stale_socket(const Endpoint& at);

class Listener final : private Pollable, private Observer {
 public:
    static constexpr int no_limit = std::numeric_limits<int>::max();
    /// Takes the descriptor over by release(); otherwise the connection is closed when the handler
    /// returns. A handler that throws std::bad_alloc loses this connection, and `report` hears of
    /// it.
    using Accepted =
        std::function<void(Descriptor& descriptor, const Endpoint& peer, const Endpoint& local)>;

    /// Binds and listens; throws std::system_error that names the address. A unix socket file that
    /// nobody listens on any more is replaced. `report` hears of a failing accept, once a pause;
    /// `knocked`, of a client that waits while the listener holds.
    /// The system gives out the lowest free descriptor, so one of `shut_at` or more tells that few
    /// are left: these are for what the connections at hand need.
    Listener(Loop& loop, const Endpoint& at, Accepted accepted,
             std::function<void(int error)> report, std::function<void()> knocked = {},
             int shut_at = no_limit);
    ~Listener();

    /// At the connection limit: new ones wait in the backlog. Whether there is one is told, once;
    /// from then on the listener pauses.
    void hold();
    void pause();
    void resume();

    const Endpoint& local() const { return local_; }  ///< with the real port where 0 was asked for

 private:
    void on_events(std::uint32_t events) override;
    int accept_one();
    void hand_over(int accepted, const Endpoint& peer);
    void update();
    void starve(int error);
    bool has_room() const;
    void notify() override;  // the pause after a failed accept is over
    Loop& loop_;
    Endpoint local_;
    Accepted accepted_;
    std::function<void(int)> report_;
    const int shut_at_;
    Deadline retry_;
    int descriptor_ = -1;
    enum class Door : std::uint8_t { open, held, shut };
    std::function<void()> knocked_;
    Door door_ = Door::open;  // the owner's
    bool starved_ = false;    // of descriptors, until retry_ or resume()
    bool tight_ = false;      // so it was lately
    bool listening_ = false;  // registered with the loop
};

}  // namespace ticketgate::net
