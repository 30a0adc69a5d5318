// Accepts clients: the listeners run on loop 0, which reads first requests in the order of their
// arrival. Each connection gets a loop in turn, and settles there once it is known that its request
// is not queued. Owned by App.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>
#include <vector>

#include "base/descriptor.hpp"
#include "net/listener.hpp"
#include "proxy/greeting.hpp"
#include "proxy/stamp.hpp"
#include "proxy/station.hpp"

namespace ticketgate {

class Front final : private Observer {
 public:
    /// Binds everything; throws std::system_error that names the address. `replicas`: the index of
    /// the listener for other replicas, if there is one. `shut_at` as for a Listener.
    Front(Commons& commons, const std::vector<config::Listen>& listen, std::size_t replicas,
          std::uint32_t max_connections, int shut_at = net::Listener::no_limit,
          const net::OpenListener& open = net::open_listener);

    /// The bound addresses, in the order of the config.
    std::vector<net::Endpoint> addresses() const;
    /// The listening sockets, in the same order.
    std::vector<int> descriptors() const;

    /// The files of unix sockets that were passed are this process's: call it before the loops run.
    void own_files();
    /// The addresses of unix sockets whose file is gone.
    std::vector<net::Endpoint> without_file() const;

    // Any thread. The next three need no memory, and may be repeated.
    /// Accepts no new connections from now on, or soon: see closed().
    void close() noexcept { post(close_); }
    bool closed() const { return closed_; }
    /// The same, but for other replicas: they ask this one whether its requests have ended.
    void close_to_clients() noexcept { post(close_to_clients_); }
    /// Another process accepts from these sockets, or, with false, does so no more. Returns when
    /// the first loop, which accepts, has taken note; so not to be called by it.
    void hand_over(bool on) noexcept;
    void max_connections(std::uint32_t limit);
    void connection_closed();
    void idle_appeared();
    /// Whether a client connected before this call, or after it, is known from now on.
    void look_for_clients();

 private:
    void notify() override { knocked(); }
    template <class Call>
    void each(Call call) const;
    void knocked();
    bool make_room();
    void accepted(Descriptor& descriptor, Peer peer, bool proxy_protocol);
    void begin(Arrival& arrival) noexcept;
    void update();
    void give_way();
    void close_all(bool also_replicas);
    void no_means(int error) noexcept;
    void post(const std::shared_ptr<net::Call>& call) noexcept;
    Commons& commons_;
    std::mutex closing_;  // held to clear listeners_, and to read them outside loop 0
    std::vector<std::unique_ptr<net::Listener>> listeners_;  // null: closed
    const std::size_t replicas_;
    std::size_t next_ = 0;
    bool handed_over_ = false;  // on loop 0
    Deadline look_again_{*this};
    Time quiet_until_{};  // limits the log lines of no_means()
    std::atomic<std::uint32_t> max_connections_;
    std::atomic<bool> full_{false};
    std::atomic<bool> closed_{false};
    std::atomic<bool> other_accepts_{false};
    std::counting_semaphore<> noted_{0};                      // released by give_way()
    const std::shared_ptr<net::Call> update_, knock_, look_;  // on loop 0
    const std::shared_ptr<net::Call> give_way_, close_, close_to_clients_;
};

}  // namespace ticketgate
