// Gates by name. Outlives every snapshot, so that a reload finds the same sequencer, tickets and
// counters under the same name. Owned by the Assembly; used on the control thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gate/local_gate.hpp"
#include "metrics/registry.hpp"

namespace ticketgate {

class GateRegistry {
 public:
    /// The permit of a clustered queue; null: there is none of this name.
    using Permits = std::function<Permit*(const std::string& queue)>;

    GateRegistry(metrics::Registry& metrics, std::function<net::Loop&()> next_home,
                 Permits permits = {})
        : metrics_(metrics), next_home_(std::move(next_home)), permits_(std::move(permits)) {}

    /// Returns the gate of this name; makes it if there is none. configure_all sets its limits.
    /// `clustered`: throws std::runtime_error if it has no permit, or is one without.
    std::shared_ptr<LocalGate> find_or_make(const std::string& name, const GateSettings& settings,
                                            bool clustered = false);

    /// Second phase of a reload, which cannot fail: sets the limits of all named gates, and drops
    /// the other gates once they are empty.
    void configure_all(const std::map<std::string, GateSettings>& settings);

    /// Gates that are made from now on grant as LocalGate::grant_until() with this time of their
    /// queue: another process may grant from it. Null: to all tickets.
    void limit_new(std::function<Time(const std::string& queue)> until) {
        until_ = std::move(until);
    }

    /// Gates that are made from now on begin with this pause of their queue; Time{}: with none.
    void pause_new(std::function<Time(const std::string& queue)> until) {
        paused_ = std::move(until);
    }

    /// Null: no gate has this name.
    LocalGate* find(const std::string& name) const;

    /// The same, to keep.
    std::shared_ptr<LocalGate> share(const std::string& name) const { return gates_.at(name); }

    template <class Use>
    void for_each(Use use) const {
        for (const auto& [name, gate] : gates_) use(*gate);
    }

 private:
    metrics::Registry& metrics_;
    std::function<net::Loop&()> next_home_;
    Permits permits_;
    std::function<Time(const std::string&)> until_, paused_;
    std::map<std::string, std::shared_ptr<LocalGate>> gates_;
};

}  // namespace ticketgate
