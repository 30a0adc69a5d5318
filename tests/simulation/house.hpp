// The proxy as it ships (proxy/assembly), on the simulation's loops, connections and clock, without
// listeners, threads and an admin side. What App does on its control thread, the operator does
// here.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/resolver.hpp"
#include "proxy/assembly.hpp"
#include "simulation/backend.hpp"

namespace ticketgate::sim {

/// Costly and without state of a world: made once.
struct Ground {
    Ground(Level level);
    Log log;
    boost::asio::io_context control;
    net::Resolver resolver{control};
    int access_log;  ///< a file in memory
    ~Ground();
};

class House {
 public:
    House(const Plan& plan, Ground& ground, Judge& judge, net::Connect connect);

    const Loops loops;

    void admit(Link& link, std::size_t loop);
    void reload(Random& random);
    void drain();
    void stop();
    /// An operator gives away the slot that was granted last, of the queue that has one.
    void release();
    /// Every connection to a backend that is idle goes.
    void retire() { assembly_->retire(); }

    /// After each step: what the gates say of themselves against what the judge sees.
    void check();
    /// When no loop has anything to do. `jumped`: time has run while it had.
    void check_quiet(bool jumped);
    /// Nothing of a request is left.
    void check_empty();
    bool empty() const { return assembly_->idle(); }
    std::string access_log();

 private:
    config::Config config() const;
    config::Upstream upstream(std::uint16_t port) const;
    void tell_limits();
    /// Null: the config has no such queue now.
    Gate* gate(char queue) const;
    void check(char queue, Gate& gate);
    void check_holders(char queue, const Gate& gate);
    void check_holds(char queue, const QueuePlan& plan);
    void check_idle_slot(char queue, Gate& gate);
    std::uint64_t failed_open(char queue) const;

    const Plan& plan_;
    Ground& ground_;
    Judge& judge_;
    QueuePlan a_, c_;
    bool c_exists_ = true;
    metrics::Registry metrics_;
    LogFile access_file_;
    std::uint32_t in_flight_a_ = 0, in_flight_c_ = 0;
    std::optional<Assembly> assembly_;  // until the access log is read
};

}  // namespace ticketgate::sim
