#include "simulation/sweep.hpp"

#include "simulation/memory.hpp"
#include "simulation/replay.hpp"
#include "simulation/scenarios.hpp"
#include "simulation/world.hpp"

namespace ticketgate::sim {
namespace {

struct Kind {
    Injection::Kind kind;
    std::size_t client;
    Duration time;
    std::uint64_t count = 0;  // of pieces of memory
};

constexpr std::uint64_t first_short = 9, last_short = 11;  // counted in pieces

std::vector<Kind> kinds_for(const Plan& plan) {
    using enum Injection::Kind;
    std::vector<Kind> kinds{{backend_fin, 0, {}},  {backend_rst, 0, {}},  {stop, 0, {}},
                            {drain, 0, {}},        {reload, 0, {}},       {time_passes, 0, 150ms},
                            {time_passes, 0, 3s},  {time_passes, 0, 61s}, {release, 0, {}},
                            {no_memory, 0, {}, 1}, {no_memory, 0, {}, 3}, {no_memory, 0, {}, 100},
                            {no_blocks, 0, {}}};
    for (std::size_t i = 0; i < plan.clients.size(); ++i) {
        kinds.push_back({client_fin, i, {}});
        kinds.push_back({client_rst, i, {}});
    }
    return kinds;
}

// Counted in allocations or not at all, but not in steps, so no second cancellation follows at
// once.
bool runs_short(const Kind& a, const Kind& b) {
    using enum Injection::Kind;
    return a.kind == no_memory || b.kind == no_memory || a.kind == no_blocks || b.kind == no_blocks;
}

// The log allocates too: with tracing on, other allocations would fail.
bool tells(const Sweep& sweep) {
    return sweep.step != 0 && (sweep.kind < first_short || sweep.kind > last_short);
}

class Sweeper {
 public:
    explicit Sweeper(const Sweep& sweep)
        : sweep_(sweep), ground_(tells(sweep) ? Level::debug : Level::off) {}

    void all_of(const Scenario& scenario, std::uint64_t index) {
        Plan plan = scenario.plan;
        plan.threads = sweep_.threads;
        name_ = scenario.name;
        index_ = index;
        const std::uint64_t steps = one(plan, {}, none, none);
        pieces_ = memory::asked();
        const auto kinds = kinds_for(plan);
        for (std::uint64_t k = 0; k < kinds.size(); ++k)
            if (is_wanted(k)) with(plan, kinds, k, steps);
    }
    std::uint64_t worlds = 0;

 private:
    bool is_wanted(std::uint64_t kind) const {
        return (sweep_.kind == none || sweep_.kind == kind) && kind % sweep_.parts == sweep_.part;
    }

    // Tries each cancellation alone, or with every other one right after it.
    void with(const Plan& plan, const std::vector<Kind>& kinds, std::uint64_t k,
              std::uint64_t steps) {
        if (!sweep_.pairs) return every_step(plan, {kinds[k]}, k, none, steps);
        for (std::uint64_t then = 0; then < kinds.size(); ++then)
            if ((sweep_.then == none || sweep_.then == then) && !runs_short(kinds[k], kinds[then]))
                every_step(plan, {kinds[k], kinds[then]}, k, then, steps);
    }

    void every_step(const Plan& plan, const std::vector<Kind>& kinds, std::uint64_t k,
                    std::uint64_t then, std::uint64_t steps) {
        std::vector<Injection> injections;
        injections.reserve(kinds.size());
        for (const Kind& kind : kinds)
            injections.push_back({kind.kind, 0, kind.client, kind.time, kind.count});
        if (kinds.front().kind == Injection::Kind::no_memory) steps = pieces_;
        std::uint64_t first = 1 + (then == none ? k : k * 7 + then) % sweep_.stride;
        if (kinds.front().kind == Injection::Kind::no_blocks) first = steps = 1;  // a whole world
        for (std::uint64_t step = first; step <= steps; step += sweep_.stride) {
            if (sweep_.step != 0 && sweep_.step != step) continue;
            for (Injection& injection : injections) injection.step = step;
            (void)one(plan, injections, k, then);
        }
    }

    // Returns the number of steps.
    std::uint64_t one(const Plan& plan, std::span<const Injection> injections, std::uint64_t k,
                      std::uint64_t then) {
        ++worlds;
        remember("--sweep " + std::to_string(sweep_.schedule) + " --threads " +
                 std::to_string(sweep_.threads) + " --scenario " + std::to_string(index_) +
                 (k == none ? "" : " --kind " + std::to_string(k)) +
                 (then == none ? "" : " --pairs 1 --then " + std::to_string(then)) + " --step " +
                 std::to_string(injections.empty() ? 0 : injections.front().step));
        World world(plan, sweep_.schedule, ground_, sweep_.step != 0 && k != none);
        const std::string failure = world.run(injections);
        if (!failure.empty()) give_up("\"" + name_ + "\": " + failure);
        return world.steps();
    }

    const Sweep sweep_;
    Ground ground_;
    std::string name_;
    std::uint64_t index_ = 0;
    std::uint64_t pieces_ = 0;  // of memory, that the proxy asked for
};

}  // namespace

std::uint64_t run(const Sweep& sweep) {
    Sweeper sweeper(sweep);
    std::uint64_t index = 0;
    for (const Scenario& scenario : scenarios()) {
        if (sweep.scenario == none || sweep.scenario == index) sweeper.all_of(scenario, index);
        ++index;
    }
    return sweeper.worlds;
}

}  // namespace ticketgate::sim
