// Pauses of queues by an operator (CONTRACT 11), and their ends. The gates keep the pauses, so a
// reload keeps them too; this only calls a gate when its pause is over. Owned by App; control
// thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <set>
#include <string>

#include "app/control.hpp"
#include "gate/gate_registry.hpp"
#include "log/log.hpp"

namespace ticketgate {

class Pauses {
 public:
    /// `tell`: each pause and each end of one that an operator orders here.
    using Tell = std::function<void(const std::string& queue, Time until)>;
    Pauses(Control& control, Log& log, const GateRegistry& gates, Tell tell);

    /// `never`: until it is resumed.
    void pause(Gate& gate, milliseconds how_long);
    void resume(Gate& gate);
    /// An operator ordered it at the other process of an upgrade.
    void adopt(const std::string& queue, Time until);
    /// Tells the other process to end the pause of a queue that this one does not have. False: it
    /// has told of none.
    bool resume_there(const std::string& queue);
    /// Waits for the next end of a pause.
    void wait_for_next();

 private:
    void adopt_there(const std::string& queue, Time until);
    void end_due();
    Log& log_;
    const GateRegistry& gates_;
    const Tell tell_;
    std::set<std::string> there_;  // paused at the other process, and not in the config here
    boost::asio::steady_timer next_end_;
};

}  // namespace ticketgate
