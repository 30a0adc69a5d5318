// The pages of the admin listener. Read: the live page at /, /livez /readyz /healthz /metrics,
// /api/v1/queues, /api/v1/queues/NAME, /api/v1/tickets?request_id=ID, /api/v1/workers,
// /api/v1/cluster, /api/v1/config, /api/v1/upgrade and /api/v1/ids; /api/v1/events is in live.hpp.
// Write (POST, see access.hpp): /api/v1/queues/NAME/release?number=N&request_id=ID,
// /api/v1/queues/NAME/pause?for=30s, /api/v1/queues/NAME/resume, /api/v1/drain, /api/v1/reload,
// /api/v1/upgrade. Owned by App; called on the control thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/answers.hpp"
#include "admin/config_view.hpp"
#include "admin/queue_views.hpp"
#include "admin/upgrade_view.hpp"
#include "admin/upstream_views.hpp"
#include "base/clock.hpp"
#include "gate/gate_registry.hpp"
#include "ids/generator.hpp"
#include "metrics/registry.hpp"
#include "spawn/pool.hpp"

namespace ticketgate::admin {

/// The actions of an operator. All of them run on the control thread.
struct Actions {
    std::function<bool()> ready;  ///< false once a drain has begun
    /// When a drain cuts what still runs; none: the process does not drain.
    std::function<std::optional<Duration>()> cuts_in = {};
    std::function<std::string()> token;
    /// Releases a slot. The queue fails open if the backend still runs.
    std::function<Released(Gate&, const ToRelease&)> release;
    /// True if a route leads to the queue; unset: one leads to each.
    std::function<bool(const std::string& queue)> has_route = {};
    /// Admits nobody to the queue for this long; `never`: until it is resumed.
    std::function<void(Gate&, milliseconds)> pause;
    std::function<void(Gate&)> resume;
    /// Resumes a queue that is paused in the old process of an upgrade only. False: it is not.
    std::function<bool(const std::string& queue)> resume_there = {};
    std::function<void()> drain;
    std::function<Reloaded()> reload;
    std::function<std::vector<std::shared_ptr<spawn::Pool>>()> worker_pools = {};
    std::function<std::vector<UpstreamState>()> upstreams = {};  ///< set if worker_pools is
    std::function<std::string()> cluster = {};  ///< JSON; empty: the config has no cluster
    std::function<ConfigView()> config = {};
    /// Starts a new process that takes over. Returns why not; empty: it starts.
    std::function<std::string()> upgrade = {};
    std::function<Upgrading()> upgrading = {};
    /// That the spool refuses uploads; empty: it does not.
    std::function<std::string()> spool_trouble = {};
    Elsewhere elsewhere = {};                 ///< unset: nowhere
    std::function<bool()> viewers_full = {};  ///< unset: there are no events
};

/// It is a GET of the live page's events, which the server's Watch gives. Every other reading of
/// that page, and one behind the last viewer that may look, is for the Pages.
bool asks_for_events(const HttpRequest& request);

struct Pages {
    const metrics::Registry& metrics;
    const GateRegistry& gates;
    Actions actions;
    ids::Generator* ids = nullptr;  ///< the control thread's own; outlives this object
    bool snowflakes = true;         ///< false: the id service uses this worker number

    HttpResponse operator()(const HttpRequest& request, bool local) const;

 private:
    HttpResponse read(std::string_view path, const Query& query) const;
    HttpResponse events() const;
    HttpResponse readiness(bool verbose) const;
    std::string spool_trouble() const;
    static std::string failed_upgrade(const Upgrading& last);
    HttpResponse write(std::string_view path, const Query& query) const;
    HttpResponse find(const Query& query) const;
    HttpResponse reload() const;
    HttpResponse upgrade() const;
    HttpResponse change(std::string_view action, Gate& gate, const Query& query) const;
    HttpResponse release(Gate& gate, const Query& query) const;
    std::string why_not_paused_here(const Gate& gate) const;
    HttpResponse pause(Gate& gate, const Query& query) const;
    HttpResponse resume(Gate& gate) const;
    bool resumed_there(const std::string& queue) const;
};

}  // namespace ticketgate::admin
