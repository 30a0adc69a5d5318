// Where clients come in: the listeners, on loop 0, where first requests are read in the order in
// which they came; connections are dealt to the loops in turn, to settle there once it is known
// that they are not for a queue. Owned by App.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "net/listener.hpp"
#include "proxy/greeting.hpp"
#include "proxy/stamp.hpp"
#include "proxy/station.hpp"

namespace ticketgate {

class Front {
 public:
    /// Binds everything; throws std::system_error that names the address. `shut_at` as of a
    /// listener.
    Front(Commons& commons, const std::vector<config::Listen>& listen,
          std::uint32_t max_connections, int shut_at = net::Listener::no_limit);

    /// The ports that were bound, in the order of the config.
    std::vector<net::Endpoint> addresses() const;

    // Any thread.
    /// No new connections from now on.
    void close();
    void max_connections(std::uint32_t limit);
    void connection_closed();
    void idle_appeared();

 private:
    void knocked();
    bool make_room();
    void accepted(Descriptor& descriptor, Peer peer, bool proxy_protocol);
    void begin(Arrival& arrival) noexcept;
    void update();
    void no_means(int error) noexcept;
    void post(const std::shared_ptr<net::Call>& call) noexcept;
    Commons& commons_;
    std::vector<std::unique_ptr<net::Listener>> listeners_;  // loop 0
    std::size_t next_ = 0;
    Time quiet_until_{};  // of complaints that the system has no means
    std::atomic<std::uint32_t> max_connections_;
    std::atomic<bool> full_{false};
    const std::shared_ptr<net::Call> update_, knock_;  // on loop 0
};

}  // namespace ticketgate
