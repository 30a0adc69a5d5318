// One clustered queue at one replica: its keeper (the decisions), its gate (the tickets), and the
// permit that the gate asks. Owned by the Replica, and driven on its thread; the permit is asked by
// any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/contents.hpp"
#include "cluster/keeper.hpp"
#include "gate/local_gate.hpp"

namespace ticketgate::replica {

class Line final : public Permit {
 public:
    /// `missed` is called by any thread when a ticket waits that may not be granted; once until the
    /// next drive().
    Line(std::string queue, const cluster::Instance& self,
         const cluster::Keeper::Settings& settings, std::function<void()> missed);
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    const std::string& queue() const { return queue_; }
    const cluster::Keeper& keeper() const { return keeper_; }
    void join(std::shared_ptr<LocalGate> gate) { gate_ = std::move(gate); }
    void drain() { keeper_.drain(); }
    void configure(const cluster::Keeper::Settings& settings) { keeper_.set(settings); }
    /// The gate grants nothing from now on.
    void stop() { until_.store(0); }

    // `sure_until`: while the boot clock is before it, no other replica counts this one as lost.

    /// What look number `look` showed. Looks are counted as they begin.
    void saw(const cluster::Sight&, std::uint64_t look, BootTime sure_until);
    /// The write ended when this many looks had begun.
    void written(cluster::Written, std::uint64_t version, std::uint64_t looks, BootTime sure_until);
    /// Returns what to do next.
    cluster::Keeper::Next drive(BootTime sure_until);

    /// What the store's answers say about the whole of it; empty: it is in use.
    void store_away(bool away) { store_away_ = away; }

    bool holds() const override { return boot_now().time_since_epoch().count() < until_.load(); }
    void missed() override;
    Whereabouts where() const override;

 private:
    void publish();
    void tell_gate(BootTime sure_until);
    cluster::Keeper::Facts facts() const;

    const std::string queue_;
    cluster::Keeper keeper_;
    std::shared_ptr<LocalGate> gate_;
    const std::function<void()> missed_;
    std::atomic<bool> told_missed_{false};
    std::atomic<Duration::rep> until_{0};  // the gate may grant before this time of the boot clock
    std::atomic<bool> store_away_{false};
    cluster::Epoch term_ = 0;  // of which the gate knows
    mutable std::mutex lock_;  // guards what follows: requests of any thread ask for it
    cluster::Where where_ = cluster::Where::nowhere;
    std::shared_ptr<const LineKeeper> at_;
    std::uint64_t looks_at_write_ = 0;
};

}  // namespace ticketgate::replica
