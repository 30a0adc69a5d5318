#include "gate/gate_registry.hpp"

#include <stdexcept>

#include "gate/local_gate.hpp"

namespace ticketgate {

// A queue that changed sides under a running process would be two lines.
std::shared_ptr<LocalGate> GateRegistry::find_or_make(const std::string& name,
                                                      const GateSettings& settings,
                                                      bool clustered) {
    const auto found = gates_.find(name);
    Permit* const permit = clustered && permits_ ? permits_(name) : nullptr;
    const bool is = found == gates_.end() ? permit != nullptr : found->second->clustered();
    if (is != clustered)
        throw std::runtime_error("queue " + name + " can " + (clustered ? "join" : "leave") +
                                 " the cluster only at a restart");
    if (found != gates_.end()) return found->second;
    auto gate = std::make_shared<LocalGate>(name, settings, next_home_(), metrics_, permit);
    gates_.emplace(name, gate);
    if (until_) gate->grant_until(until_(name));
    if (paused_) gate->pause(paused_(name));
    return gate;
}

LocalGate* GateRegistry::find(const std::string& name) const {
    const auto found = gates_.find(name);
    return found == gates_.end() ? nullptr : found->second.get();
}

void GateRegistry::configure_all(const std::map<std::string, GateSettings>& settings) {
    for (auto it = gates_.begin(); it != gates_.end();) {
        const auto named = settings.find(it->first);
        if (named != settings.end()) {
            it->second->configure(named->second);
            ++it;
        } else if (it->second.use_count() == 1 && it->second->figures().empty()) {
            it = gates_.erase(it);
        } else {
            ++it;
        }
    }
}

}  // namespace ticketgate
