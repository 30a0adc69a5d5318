// Makes the running proxy from a parsed config: gates and upstreams, which stay over reloads, the
// snapshot that routes requests to them, one station per loop, and the budgets that these share.
// The program, the simulation and the tests use it, each with loops, connections and logs of their
// own: it has no listener, no signal, no thread and no clock. Control thread, unless noted.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "config/config.hpp"
#include "gate/gate_registry.hpp"
#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "proxy/settings.hpp"
#include "proxy/snapshot.hpp"
#include "proxy/station.hpp"
#include "proxy/tls.hpp"
#include "proxy/upstream_registry.hpp"

namespace ticketgate {

using Loops = std::vector<std::unique_ptr<net::Loop>>;
Loops make_loops(std::uint32_t threads);

/// What an assembly needs from outside; all of it outlives the assembly.
struct Platform {
    const Loops& loops;
    net::Resolver& resolver;
    metrics::Registry& metrics;
    Log& log;
    LineTaker& access_log;
    Memory memory = {};
    ids::Machine machine = {};
    /// Makes plain connections to backends; TLS runs over them.
    net::Connect connect = net::SocketStream::connect;
    KeepPolicy::Limits trust = {};
    /// For clustered queues; without it, configs that have some are refused.
    GateRegistry::Permits permits = {};
    /// Starts workers; null: configs that have some are refused.
    spawn::Supervisor* supervisor = nullptr;
};

class Assembly {
 public:
    /// Throws std::runtime_error that names the bad file (a certificate may have changed since the
    /// config was checked).
    Assembly(config::Config config, const Platform& platform);
    /// The loops must have stopped, and the sessions have ended.
    ~Assembly();

    /// Throws as the constructor does; then nothing has changed. Each loop takes the new snapshot
    /// at its next turn.
    void reload(config::Config next);
    /// As Station::hand_over().
    void hand_over(bool on) noexcept;
    /// Another process is about to send requests to the backends: closes the idle connections to
    /// them.
    void close_idle_backends();
    /// Refuses new requests, and ends idle connections and pauses. Needs no memory.
    void drain() noexcept;
    /// From now on no run sends anything of a request that its backend has nothing of: those whose
    /// slot says that nothing was sent never run. Any thread.
    void send_nothing_new() noexcept;
    /// Ends all sessions and runs. Needs no memory.
    void stop() noexcept;
    /// True once every loop has begun to end them.
    bool stopped() const;
    /// Asks each status page of php-fpm once, and logs the result.
    void probe_status_pages();
    /// With the loops stopped: closes idle connections to backends, and keeps none from now on.
    void retire();
    /// True if no client connection and no run is left. Any thread.
    bool idle() const { return commons_.connections == 0 && commons_.runs == 0; }

    /// The config that was loaded last.
    const config::Config& config() const { return snapshot_->config; }
    const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
    const GateRegistry& gates() const { return gates_; }
    GateRegistry& gates() { return gates_; }
    const UpstreamRegistry& upstreams() const { return upstreams_; }
    /// By loop index.
    Station& station(std::size_t loop) const { return *stations_[loop]; }
    Commons& commons() { return commons_; }
    const Commons& commons() const { return commons_; }

 private:
    std::shared_ptr<const Snapshot> build(config::Config config, const Snapshot* before);
    void limit_file_io();
    void limit_traces();
    void look_at_peers();
    template <class Act>
    void post_to_stations(const Act& act);

    const Loops& loops_;
    http::SpoolBudget spool_;
    Commons commons_;
    GateRegistry gates_;
    UpstreamRegistry upstreams_;
    const Bound bound_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<std::unique_ptr<Station>> stations_;
};

}  // namespace ticketgate
