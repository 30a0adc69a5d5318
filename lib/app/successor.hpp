// The old process's side of an upgrade: starts the new process, gives it the listening sockets, and
// each queue as soon as its line here has ended. Nothing changes here before the new process says
// that it is ready. If that ends later, while this one still finishes its line, this one accepts
// again. Owned by App; control thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/control.hpp"
#include "app/old_requests.hpp"
#include "app/queue_losses.hpp"
#include "app/shared_queues.hpp"
#include "app/upgrade_link.hpp"
#include "gate/gate_registry.hpp"
#include "log/log.hpp"

namespace ticketgate {

/// The actions of the process at the steps of an upgrade.
struct HandOver {
    std::function<bool()> may_hand_over;             ///< false: it drains, or cannot
    std::function<std::vector<int>()> sockets;       ///< that listen
    std::function<void(pid_t successor)> hand_over;  ///< accept no more, and end the id service
    std::function<void()> failed;                    ///< the upgrade: this process goes on
    std::function<void()> ended;                     ///< the new process, which had taken over
    std::function<bool()> take_back;  ///< accept again; false: it drains. May be repeated
    std::function<void()> drain;      ///< the new process drains
    std::function<void(const std::string& queue, Time until)> pause;  ///< an operator's, there
    std::function<std::uint64_t()> facts;  ///< for the new process, as Predecessor reads them
};

class Successor {
 public:
    enum class Phase : std::uint8_t {
        none,
        starting,     ///< it has not taken over yet
        handed_over,  ///< it accepts
        drains,       ///< it accepted, and ends for good
        failed        ///< it ended, and this process accepts
    };

    Successor(Control& control, Log& log, GateRegistry& gates, HandOver steps);

    /// Returns why no new process starts; empty: one does.
    std::string begin();
    /// A child has ended.
    void reap();
    /// An operator's pause, for the process that accepts.
    void tell_pause(const std::string& queue, Time until);
    /// A connection to the admin listener that this process has not answered, for the new one.
    void pass_on(Descriptor connection, std::string arrived);
    /// This process is about to end. With requests left, no queue passes on from here.
    void tell_end(upgrade::Left left);
    /// Tells what the queues here have counted, also after the end of the control thread's loop.
    void tell_losses();
    /// Waits for the new process, after an exception.
    void go_on();

    Phase phase() const { return phase_; }
    bool under_way() const { return phase_ != Phase::none && phase_ != Phase::failed; }
    /// The new process has all queues, and knows it.
    bool gave_all() const {
        if (owes_take_back_ || owes_end_) return false;
        const bool lives = phase_ == Phase::handed_over || phase_ == Phase::drains;
        return !lives || (shared_->all_theirs() && link_->all_sent());
    }
    pid_t pid() const { return pid_; }
    /// Why the last one failed.
    const std::string& why() const { return why_; }
    /// When the last one that had taken over ended with requests in its line, Unix time; 0: never.
    std::int64_t line_started_s() const { return line_started_s_; }

 private:
    void offer_sockets();
    void limit_start(std::chrono::seconds longest);
    void heard(const Packet& packet);
    void hand_over();
    void give_way();
    void give_up_hand_over();
    void ended();
    void fail(int status);
    void tell_failure(const std::string& how);
    void take_back();
    void tell_taken_back(const std::string& now, const std::vector<std::string>& taken);
    void tell_losses_later();
    Control& control_;
    Log& log_;
    GateRegistry& gates_;
    const HandOver steps_;
    boost::asio::steady_timer start_limit_, next_losses_;
    Phase phase_ = Phase::none;
    pid_t pid_ = 0;
    std::string why_;
    std::int64_t line_started_s_ = 0;
    std::shared_ptr<UpgradeLink> link_;
    std::unique_ptr<SharedQueues> shared_;
    std::unique_ptr<QueueLosses> losses_;
    std::unique_ptr<OldRequests> runs_;  // set if losses_ is
    std::size_t guests_ = 0;             // passed on
    bool owes_take_back_ = false;        // of a hand-over that there was no memory for
    bool owes_end_ = false;              // what the end of the new process asks for
};

}  // namespace ticketgate
