// The proxy as App assembles it, without listeners, threads and an admin side: loops, stations, the
// gates' registry, snapshots. What App does on its control thread, the operator does here.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gate/gate_registry.hpp"
#include "net/resolver.hpp"
#include "proxy/station.hpp"
#include "simulation/backend.hpp"
#include "upstream/exchange.hpp"

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
    ~House();

    std::vector<std::unique_ptr<net::Loop>> loops;

    void admit(Link& link, std::size_t loop);
    void reload(Random& random);
    void drain();
    void stop();
    /// An operator gives away the slot that was granted last, of the queue that has one.
    void release();
    /// Every connection to a backend that is idle goes.
    void retire();

    /// After each step: what the gates say of themselves against what the judge sees.
    void check();
    /// Nothing of a request is left.
    void check_empty();
    bool empty() const { return commons_.connections == 0 && commons_.runs == 0; }
    std::string access_log();

 private:
    config::Config config() const;
    std::shared_ptr<const Snapshot> build();
    std::shared_ptr<Upstream> make_upstream(std::uint16_t port);
    void check(char queue, Gate& gate);
    void check_holders(char queue, const Gate& gate);
    void check_idle_slot(char queue, Gate& gate);
    std::uint64_t failed_open(char queue) const;

    const Plan& plan_;
    Ground& ground_;
    Judge& judge_;
    const net::Connect connect_;
    QueuePlan a_, c_;
    bool c_exists_ = true;
    metrics::Registry metrics_;
    http::SpoolBudget spool_;
    LogFile access_file_;
    Commons commons_;
    GateRegistry gates_;
    std::map<std::string, std::shared_ptr<Upstream>> upstreams_;
    std::shared_ptr<Gate> gate_a_, gate_c_;
    std::uint32_t in_flight_a_ = 0, in_flight_c_ = 0;
    std::vector<std::unique_ptr<Station>> stations_;
};

}  // namespace ticketgate::sim
