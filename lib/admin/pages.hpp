// What the admin listener answers: /livez /readyz /healthz /metrics /api/v1/queues
// /api/v1/ids. Pure but for
// asking the gates and the registry, which any thread may.
#pragma once

#include <functional>
#include <string>

#include "admin/server.hpp"
#include "gate/gate_registry.hpp"
#include "ids/generator.hpp"
#include "metrics/registry.hpp"

namespace ticketgate::admin {

struct Pages {
    const metrics::Registry& metrics;
    const GateRegistry& gates;
    std::function<bool()> ready;    ///< false from the moment a drain begins
    ids::Generator* ids = nullptr;  ///< the control thread's own; outlives this

    HttpResponse operator()(const HttpRequest& request) const;
};

}  // namespace ticketgate::admin
