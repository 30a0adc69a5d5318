// What the admin listener answers. Reading: /livez /readyz /healthz /metrics, /api/v1/queues,
// /api/v1/queues/NAME and /api/v1/ids. Writing (POST, see access.hpp):
// /api/v1/queues/NAME/release?number=N, /api/v1/drain, /api/v1/reload. Owned by App; called on the
// control thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/answers.hpp"
#include "gate/gate_registry.hpp"
#include "ids/generator.hpp"
#include "metrics/registry.hpp"

namespace ticketgate::admin {

/// The result of a reload.
struct Reloaded {
    std::vector<std::string> problems = {};      ///< any: nothing has changed
    std::vector<std::string> need_restart = {};  ///< keys that the file changes and a reload cannot
    std::vector<std::string> warnings = {};      ///< of the file, as `check` prints them
};

/// What an operator can do; all of it on the control thread.
struct Actions {
    std::function<bool()> ready;  ///< false from the moment a drain begins
    std::function<std::string()> token;
    /// Fails open: false if that number is not in flight.
    std::function<Release(Gate&, std::uint64_t number)> release;
    std::function<void()> drain;
    std::function<Reloaded()> reload;
};

struct Pages {
    const metrics::Registry& metrics;
    const GateRegistry& gates;
    Actions actions;
    ids::Generator* ids = nullptr;  ///< the control thread's own; outlives this
    bool snowflakes = true;         ///< false: the id service makes those of this worker number

    HttpResponse operator()(const HttpRequest& request, bool local) const;

 private:
    HttpResponse read(std::string_view path, const Query& query) const;
    HttpResponse write(std::string_view path, const Query& query) const;
    HttpResponse reload() const;
    HttpResponse release(const std::string& name, const Query& query) const;
};

}  // namespace ticketgate::admin
