// The queues that two processes serve during an upgrade: stops each gate while the other process
// may grant from its queue. upgrade/turns decides; this asks the gates and speaks over the link.
// Control thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/control.hpp"
#include "gate/gate_registry.hpp"
#include "upgrade/message.hpp"
#include "upgrade/turns.hpp"

namespace ticketgate {

class SharedQueues {
 public:
    /// The link to the other process. `put`: as UpgradeLink::put().
    struct Link {
        std::function<void(const upgrade::Message&)> put;
        std::function<void()> flush;
    };
    SharedQueues(Control& control, GateRegistry& gates, upgrade::Side side, Link link);
    ~SharedQueues();

    /// When the old process accepts no more, and before the new one does.
    void add(const std::string& queue);
    /// Looks at the gates from now on, until alone().
    void start();
    /// Plans the next look anew, after an exception.
    void go_on();
    /// A last look, before this process cuts its requests: a slot that a cut frees must not pass
    /// on, as the backend may still run its request.
    void stop();
    /// A message about a turn.
    void heard(const upgrade::Message& message);
    /// The other process has ended. Returns the queues from which it might grant until then; where
    /// it is called again, the same.
    const std::vector<std::string>& alone();
    bool ours(const std::string& queue) const { return turns_.ours(queue); }
    std::vector<std::string> theirs() const { return turns_.theirs(); }
    bool all_theirs() const { return turns_.all_theirs(); }

 private:
    void look();
    void look_at(const std::string& queue);
    void limit(const std::string& queue);
    void look_later();
    GateRegistry& gates_;
    const Link link_;
    upgrade::Turns turns_;
    boost::asio::steady_timer next_look_;
    bool looks_ = false;
    std::optional<std::vector<std::string>> taken_;  // by alone()
};

}  // namespace ticketgate
