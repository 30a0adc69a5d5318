// Pauses of queues by an operator (CONTRACT 11), and their ends. The gates keep the pauses, so a
// reload keeps them too; this only calls a gate when its pause is over. Owned by App; control
// thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
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
    /// Waits for the next end of a pause.
    void wait_for_next();

 private:
    void end_due();
    Log& log_;
    const GateRegistry& gates_;
    const Tell tell_;
    boost::asio::steady_timer next_end_;
};

}  // namespace ticketgate
