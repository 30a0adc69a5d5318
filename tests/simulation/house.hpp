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

/// Expensive and without state of a world, so it is made once.
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

    void admit(Link& link, std::size_t loop, bool inside);
    void reload(Random& random);
    void drain();
    void stop();
    /// Carries out a stop that was told of. False: there is none.
    bool cut();
    /// Of every queue, as an operator does; without effect once the proxy drains.
    void pause();
    void resume();
    /// Releases the slot that was granted last, as an operator does.
    void release();
    /// The slot of one request, if it has one.
    void release(std::uint64_t id);
    /// Closes every idle connection to a backend.
    void retire() { assembly_->retire(); }

    /// After each step: compares the gates' own figures with those of the judge.
    void check();
    /// At the first connection of the world.
    void check_unsent();
    /// Called when no loop has work. `jumped`: time advanced while one had.
    void check_quiet(bool jumped);
    /// Checks that nothing of any request is left.
    void check_empty();
    bool empty() const { return assembly_->idle(); }
    std::string access_log();

 private:
    config::Config config() const;
    config::Upstream upstream(std::uint16_t port) const;
    void tell_limits();
    void compare_pools();
    /// Null: the config has no such queue now.
    Gate* gate(char queue) const;
    void check(char queue, Gate& gate);
    void check_holders(char queue, const Gate& gate);
    void check_holds(char queue, const QueuePlan& plan);
    void check_idle_slot(char queue, Gate& gate);
    std::uint64_t failed_open(char queue) const;
    void frees(Gate& gate, std::uint64_t id, std::uint64_t number);

    const Plan& plan_;
    Ground& ground_;
    Judge& judge_;
    QueuePlan a_, c_;
    bool knows_inside_;
    bool c_exists_ = true;
    metrics::Registry metrics_;
    LogFile access_file_;
    std::uint32_t in_flight_a_ = 0, in_flight_c_ = 0;
    bool drains_ = false, was_paused_ = false;
    int steps_to_stop_ = 0;
    std::optional<Assembly> assembly_;  // until the access log is read
};

}  // namespace ticketgate::sim
