// Gates by name. Outlives every snapshot, so that a reload finds the same sequencer, tickets and
// counters under the same name. Owned by the Assembly; used on the control thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gate/gate.hpp"
#include "metrics/registry.hpp"

namespace ticketgate {

class GateRegistry {
 public:
    GateRegistry(metrics::Registry& metrics, std::function<net::Loop&()> next_home)
        : metrics_(metrics), next_home_(std::move(next_home)) {}

    /// Returns the gate of this name; makes it if there is none. configure_all sets its limits.
    std::shared_ptr<Gate> find_or_make(const std::string& name, const GateSettings& settings);

    /// Second phase of a reload, which cannot fail: sets the limits of all named gates, and drops
    /// the other gates once they are empty.
    void configure_all(const std::map<std::string, GateSettings>& settings);

    /// Null: no gate has this name.
    Gate* find(const std::string& name) const;

    template <class Use>
    void for_each(Use use) const {
        for (const auto& [name, gate] : gates_) use(*gate);
    }

 private:
    metrics::Registry& metrics_;
    std::function<net::Loop&()> next_home_;
    std::map<std::string, std::shared_ptr<Gate>> gates_;
};

}  // namespace ticketgate
