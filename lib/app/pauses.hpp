// Pauses of queues by an operator (CONTRACT 11), and their ends. The gates keep the pauses, so a
// reload keeps them too; this only calls a gate when its pause is over. Two processes of an upgrade
// have the same pauses, also of a queue that only one of them has: a gate that a reload makes here
// begins with the pause that the other process has. Owned by App; control thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <string>

#include "app/control.hpp"
#include "gate/gate_registry.hpp"
#include "log/log.hpp"

namespace ticketgate {

class Pauses {
 public:
    /// `tell`: each pause and each end of one that an operator orders here. False: there is no
    /// other process of an upgrade that could have it, too.
    using Tell = std::function<bool(const std::string& queue, Time until)>;
    Pauses(Control& control, Log& log, GateRegistry& gates, Tell tell);
    ~Pauses();

    /// `never`: until it is resumed.
    void pause(Gate& gate, milliseconds how_long);
    void resume(Gate& gate);
    /// An operator ordered it at the other process of an upgrade.
    void adopt(const std::string& queue, Time until);
    /// Ends the pause of a queue that the other process has, and this one does not. False: there
    /// is none.
    bool resume_there(const std::string& queue);
    /// The other process has ended, and its pauses with it.
    void other_ended() { there_.clear(); }
    /// Waits for the next end of a pause.
    void wait_for_next();

 private:
    void note_there(const std::string& queue, Time until);
    Time paused_there(const std::string& queue) const;
    void end_due();
    Log& log_;
    GateRegistry& gates_;
    const Tell tell_;
    std::map<std::string, Time> there_;  // the pauses that the other process has, with their ends
    boost::asio::steady_timer next_end_;
};

}  // namespace ticketgate
