#pragma once
// The scenarios: one small coroutine each, in one file a group. README.md tells what each is for.

#include <optional>
#include <span>
#include <vector>

#include "client.hpp"
#include "coro.hpp"
#include "world.hpp"

namespace loadtest {

// The setup that a scenario needs.
enum class Need {
    nothing,  // any proxy, one line
    http,     // any proxy, one line, and a backend that speaks HTTP
    lines,    // ticketgate's own lines (peers/torture.yaml.in)
    fastcgi,  // these, and a FastCGI backend
    workers,  // these, and workers that ticketgate has started
    tunnels,  // these, and a backend that can be upgraded
    config,   // its configuration file and process too
    start,    // a proxy of its own: it is ended or starved; run only when named
};

struct Scenario {
    const char* name;
    Need need;
    Task<> (*run)(World&);
};

std::span<const Scenario> steady_scenarios();
std::span<const Scenario> leaving_scenarios();
std::span<const Scenario> slow_scenarios();
std::span<const Scenario> fault_scenarios();
std::span<const Scenario> limit_scenarios();
std::span<const Scenario> operator_scenarios();
std::span<const Scenario> tunnel_scenarios();
std::span<const Scenario> inside_scenarios();
std::span<const Scenario> starved_scenarios();
std::span<const Scenario> crowd_scenarios();
std::span<const Scenario> trust_scenarios();
std::span<const Scenario> mix_scenarios();

std::vector<Scenario> all_scenarios();

// ── what they wait for ──
// A scenario waits for events, not for times. Each wait polls the backend or the proxy, ends when
// its condition holds, and reports a failure after the kit's patience.

// The backend has begun the request of that number.
Task<> begun(World& world, std::uint64_t seq);
// At least so many stand in the line. Only ticketgate tells; before another proxy this dwells.
Task<> stand_in(World& world, Line line, std::uint64_t count);
// At least so many requests of this scenario have their answers.
Task<> answered(World& world, std::uint64_t count);
// One number of ticketgate's /metrics, as ProxyWatch::metric has it, while all clients go on.
Task<std::optional<double>> metric(World& world, std::string name);
// ticketgate's gauge or counter is at least, or at most, this.
Task<> metric_reaches(World& world, std::string name, double least);
Task<> metric_falls_to(World& world, std::string name, double most);
// What the operator waits for: /readyz says no, the process has ended, a moved access log has been
// begun anew, every request of this scenario stands in one of the files.
Task<> unready(World& world);
Task<> ended(World& world);
Task<> log_begun_anew(World& world);
Task<> log_written(World& world, std::string mark, int rotated);
// The proxy holds as few descriptors as before.
Task<> descriptors_back_to(World& world, std::uint64_t count);

// ticketgate has loaded a configuration that gives the queue `moving` this limit.
Task<> limit_in_force(World& world, std::uint32_t limit);

// The X-Request-Id of a request that the backend holds.
Task<std::string> id_of(World& world, std::uint64_t seq);

// Ends the work of a request that the backend holds (`hold=1`, `late_hold=1`).
Task<> let_go(World& world, std::uint64_t seq);

// A pause in which a fault of the proxy can show, and the pace of clients that are slow on purpose.
// On a busy machine it proves less; no verdict depends on it.
Task<> dwell(World& world, Micros time);

// A request whose work lasts until it is let go: all that happens meanwhile happens while it runs.
class Held {
 public:
    explicit Held(World& world, const Endpoint* from = nullptr, const Door* door = nullptr)
        : world_{world}, client_{world, from, door} {}

    // Sends the request. Returns false if it cannot.
    Task<bool> send(Call call);
    // The same, and waits until it runs.
    Task<bool> run(Call call);
    // The backend ends its work.
    Task<> let_go();
    // The same, and reads the answer.
    Task<> finish();

    Client& client() { return client_; }
    std::uint64_t seq() const { return seq_; }

 private:
    World& world_;
    Client client_;
    std::uint64_t seq_ = 0;
};

// ── what several of them use ──

// The proxy's port at another address of this machine, where ticketgate has another listener.
Endpoint beside(const World& world, const std::string& address);

// The configuration with another limit (one digit) of the queue `moving`.
std::string with_limit(std::string config, std::uint32_t limit);
// ticketgate loads the configuration with that limit; returns when it is in force.
Task<> load(World& world, std::string config, std::uint32_t limit);

// A call of the line with so much work for the backend.
Call call_of(Line line, Micros work_us);

// Kills one of the workers that ticketgate has started.
void kill_worker(World& world);

// One keep-alive client after another: `requests` of the call in a closed loop.
Task<> loyal(World& world, Call call, std::uint64_t requests);
// The same as long as something else goes on.
Task<> loyal_while(World& world, Call call, const bool& going);
// So many loyal clients side by side.
Task<> crowd(World& world, Call call, std::uint64_t clients, std::uint64_t requests);
// The same, but all connect before the first one sends.
Task<> all_connected(World& world, Call call, std::uint64_t clients, std::uint64_t requests);

}  // namespace loadtest
