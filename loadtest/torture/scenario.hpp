#pragma once
// The scenarios: one small coroutine each, in one file a group. README.md tells what each is for.

#include <span>
#include <vector>

#include "client.hpp"
#include "coro.hpp"
#include "world.hpp"

namespace loadtest {

// What a scenario needs to mean anything.
enum class Need {
    nothing,  // any proxy, one line
    lines,    // ticketgate's own lines (peers/torture.yaml.in)
    fastcgi,  // these, and a FastCGI backend
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
std::span<const Scenario> starved_scenarios();
std::span<const Scenario> mix_scenarios();

std::vector<Scenario> all_scenarios();

// ── what several of them use ──

// A call of the line with so much work for the backend.
Call call_of(Line line, Micros work_us);

// One keep-alive client after another: `requests` of the call in a closed loop.
Task<> loyal(World& world, Call call, std::uint64_t requests);
// The same until the time has come.
Task<> loyal_until(World& world, Call call, Micros when);
// So many loyal clients side by side.
Task<> crowd(World& world, Call call, std::uint64_t clients, std::uint64_t requests);
// The same, but all connect before the first one sends.
Task<> all_connected(World& world, Call call, std::uint64_t clients, std::uint64_t requests);

}  // namespace loadtest
