// The new process's side of an upgrade: takes the listening sockets of the old process, and grants
// from each queue only when the old one has given it up. Owned by App; control thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/control.hpp"
#include "app/old_requests.hpp"
#include "app/passed_sockets.hpp"
#include "app/shared_queues.hpp"
#include "app/upgrade_link.hpp"
#include "config/environment.hpp"
#include "gate/gate_registry.hpp"
#include "log/log.hpp"

namespace ticketgate {

/// The sockets and the link that systemd, or the process before it, passed to this process.
struct Inheritance {
    PassedSockets sockets;
    Descriptor link{-1};              ///< to the old process; -1: there is none
    std::uint32_t side = 0;           ///< of the two processes, for ids
    std::int64_t line_started_s = 0;  ///< the line of the old process, Unix time; 0: not told

    bool upgrades() const { return link.get() >= 0; }
};

/// Tells the old process, which tells its operator, why this one does not start.
void tell_problem(const Descriptor& link, const std::string& text);

/// Reads the environment and removes its variables: call it before there are threads. Waits for the
/// sockets of the old process. Throws std::runtime_error.
Inheritance inherit(const config::Environment& environment);

/// Facts about a process that it hands on.
struct InheritedFacts {
    std::uint32_t side = 0;
    bool of_systemd = false;
    std::int64_t line_started_s = 0;
};
std::uint64_t inherited_facts(const InheritedFacts& facts);

class Predecessor {
 public:
    struct Steps {
        std::function<void()> begin_ids;    ///< the old id service has ended
        std::function<void()> gives_queue;  ///< the old process is about to grant once more
        std::function<void(const std::string& queue, Time until)> pause;  ///< an operator's, there
        /// The old process has. `all`: so have all scripts that it ran, as far as it knew.
        std::function<void(bool all)> ended;
        std::function<void(const upgrade::Message&)> losses;  ///< as QueueLosses tells them
        std::function<void(Packet)> guest;  ///< a connection to the admin listener
    };

    Predecessor(Control& control, Log& log, GateRegistry& gates, Descriptor link,
                std::int64_t line_started_s, Steps steps);

    /// Tells the old process that this one is ready, and waits until that accepts no more. From
    /// here on this process may accept. Throws std::runtime_error if the old one has ended.
    void take_over();
    /// The old process still finishes its line.
    bool lives() const { return lives_; }
    /// It has ended, and left no request behind.
    bool finished() const { return !lives_ && finished_; }
    pid_t pid() const { return pid_; }
    /// Since when the line goes on, Unix time; 0: not told. A process that was cut with requests in
    /// its line ended it, as a restart does.
    std::int64_t line_started_s() const { return line_started_s_; }
    /// It may run requests of this queue.
    bool has(const std::string& queue) const { return lives_ && !shared_.ours(queue); }
    /// Its request that has run for longest; null: not known.
    const admin::OldRequest* oldest(const std::string& queue) const {
        const auto found = oldest_.find(queue);
        return found == oldest_.end() ? nullptr : &found->second;
    }
    /// The queues of which it may run requests.
    std::vector<std::string> queues() const { return shared_.theirs(); }
    void tell_pause(const std::string& queue, Time until);
    /// This process ends for good: the old one must not accept again.
    void tell_drain();
    /// This process is about to end. With requests left, no queue passes on from here.
    void tell_end(upgrade::Left left);
    /// Waits for the old process, after an exception.
    void go_on();

 private:
    void put(const upgrade::Message& message);
    void heard(Packet packet);
    void ended();
    void note_finished(const upgrade::Message& message);
    void begin_ids();
    Log& log_;
    const Steps steps_;
    const pid_t pid_;
    const std::shared_ptr<UpgradeLink> link_;
    SharedQueues shared_;
    std::int64_t line_started_s_;
    bool lives_ = true, has_ids_ = false, finished_ = false, left_nothing_ = false;
    OldestRequests oldest_;
};

}  // namespace ticketgate
