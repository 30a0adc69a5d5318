// From a parsed config to the running proxy: gates and upstreams, which stay over reloads, the
// snapshot that leads requests to them, one station a loop, and the budgets that these share. The
// program, the simulation and the tests use it, each with loops, connections and logs of their own:
// it has no listener, no signal, no thread and no clock. Control thread, but where it says so.
#pragma once

#include <memory>
#include <vector>

#include "config/config.hpp"
#include "gate/gate_registry.hpp"
#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "proxy/settings.hpp"
#include "proxy/snapshot.hpp"
#include "proxy/station.hpp"
#include "proxy/upstream_registry.hpp"

namespace ticketgate {

using Loops = std::vector<std::unique_ptr<net::Loop>>;
Loops make_loops(std::uint32_t threads);

/// What an assembly stands on; all of it outlives the assembly.
struct Platform {
    const Loops& loops;
    net::Resolver& resolver;
    metrics::Registry& metrics;
    Log& log;
    LineTaker& access_log;
    Memory memory = {};
    ids::Machine machine = {};
    /// Plain connections to backends; TLS goes over them.
    net::Connect connect = net::SocketStream::connect;
    KeepPolicy::Limits trust = {};
};

class Assembly {
 public:
    /// Throws std::runtime_error that names the file that is not good (a certificate may have
    /// changed since the config was checked).
    Assembly(config::Config config, const Platform& platform);
    /// The loops must have stopped, and the sessions have ended.
    ~Assembly();

    /// Throws as the constructor does, and nothing has changed then. Each loop takes up the new
    /// snapshot at its next turn.
    void reload(config::Config next);
    /// No new requests; connections that are idle end.
    void drain();
    /// All sessions and runs end.
    void stop();
    /// Asks each status page of php-fpm once, and logs what comes of it.
    void probe_status_pages();
    /// With the loops at rest: idle connections to backends are closed, none is kept from now on.
    void retire();
    /// No client's connection and no run is left. Any thread.
    bool idle() const { return commons_.connections == 0 && commons_.runs == 0; }

    /// What was loaded last.
    const config::Config& config() const { return snapshot_->config; }
    const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
    const GateRegistry& gates() const { return gates_; }
    /// By loop index.
    Station& station(std::size_t loop) const { return *stations_[loop]; }
    Commons& commons() { return commons_; }
    const Commons& commons() const { return commons_; }

 private:
    std::shared_ptr<const Snapshot> build(config::Config config);
    template <class Act>
    void post_to_stations(Act act);

    const Loops& loops_;
    http::SpoolBudget spool_;
    Commons commons_;
    GateRegistry gates_;
    UpstreamRegistry upstreams_;
    const std::vector<config::Listen> bound_;  // as at the start
    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<std::unique_ptr<Station>> stations_;
};

}  // namespace ticketgate
