#include "gate/gate_registry.hpp"

#include "gate/local_gate.hpp"

namespace ticketgate {

std::shared_ptr<Gate> GateRegistry::find_or_make(const std::string& name,
                                                 const GateSettings& settings) {
    auto& gate = gates_[name];
    if (!gate) gate = std::make_shared<LocalGate>(name, settings, next_home_(), metrics_);
    return gate;
}

Gate* GateRegistry::find(const std::string& name) const {
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
