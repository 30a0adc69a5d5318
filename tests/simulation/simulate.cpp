// tg_simulate: worlds by the hundred thousand, one seed each. The first that breaks a promise ends
// the run and says how to see it alone.
//   tg_simulate [--seeds N] [--from S] [--threads 1..4]     random worlds
//   tg_simulate --seed S [--threads N]                      one of them, told step by step
//   tg_simulate --sweep S [--stride N] [--threads N]        every cancellation at every step, under
//                                                           the schedule of seed S
//   tg_simulate --sweep S --pairs 1 [--stride N]            and each with each other one behind it
//   tg_simulate --sweep S --part P --parts N                one of N parts of it, from 0
//   tg_simulate --sweep S --scenario I --kind K --step N    one of them, told step by step
// A scenario is told by its number or its name.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "simulation/replay.hpp"
#include "simulation/scenarios.hpp"
#include "simulation/sweep.hpp"
#include "simulation/world.hpp"

namespace ticketgate::sim {
namespace {

using Options = std::map<std::string, std::uint64_t>;

std::optional<std::uint64_t> scenario_named(const std::string& name) {
    std::uint64_t index = 0;
    for (const Scenario& scenario : scenarios()) {
        if (scenario.name == name) return index;
        ++index;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> value_of(const std::string& option, const char* word) {
    if (option == "--scenario" && std::isdigit(word[0]) == 0) return scenario_named(word);
    return std::strtoull(word, nullptr, 10);
}

Options parse(int count, char** words) {
    Options options{{"--seeds", 1000},    {"--from", 1},   {"--threads", 0}, {"--seed", 0},
                    {"--sweep", 0},       {"--stride", 1}, {"--step", 0},    {"--kind", none},
                    {"--scenario", none}, {"--pairs", 0},  {"--then", none}, {"--part", 0},
                    {"--parts", 1}};
    for (int i = 1; i < count; i += 2) {
        const auto option = options.find(words[i]);
        if (option == options.end() || i + 1 == count) return {};
        const auto value = value_of(option->first, words[i + 1]);
        if (!value) return {};
        option->second = *value;
    }
    const bool valid = options.at("--threads") <= 4 && options.at("--part") < options.at("--parts");
    return valid ? options : Options();
}

// The hash of all that happened.
std::uint64_t run(std::uint64_t seed, std::uint32_t threads, Ground& ground, bool print) {
    remember("--seed " + std::to_string(seed) + " --threads " + std::to_string(threads));
    const Plan plan = plan_of(seed, threads);
    World world(plan, seed, ground, print);
    const std::string failure = world.run();
    if (!failure.empty())
        give_up("seed " + std::to_string(seed) + ": " + failure + " (step " +
                std::to_string(world.steps()) + ")");
    return world.hash();
}

std::uint64_t run_all(Options& options, std::uint32_t threads) {
    Ground ground(Level::off);
    const std::uint64_t end = options["--from"] + options["--seeds"];
    for (std::uint64_t seed = options["--from"]; seed < end; ++seed) {
        const std::uint64_t hash = run(seed, threads, ground, false);
        if (seed % 64 == 0 && run(seed, threads, ground, false) != hash)
            give_up("seed " + std::to_string(seed) + " does not repeat itself");
    }
    return options["--seeds"];
}

std::uint64_t run_one(std::uint64_t seed, std::uint32_t threads) {
    Ground ground(Level::debug);
    (void)run(seed, threads, ground, true);
    return 1;
}

std::uint64_t run_what_is_told(Options& options) {
    const auto threads = static_cast<std::uint32_t>(options["--threads"]);
    if (options["--seed"] != 0) return run_one(options["--seed"], threads);
    if (options["--sweep"] == 0) return run_all(options, threads);
    Sweep sweep;
    sweep.schedule = options["--sweep"];
    sweep.threads = threads == 0 ? 1 : threads;
    sweep.stride = options["--stride"];
    sweep.scenario = options["--scenario"];
    sweep.kind = options["--kind"];
    sweep.step = options["--step"];
    sweep.pairs = options["--pairs"] != 0;
    sweep.then = options["--then"];
    sweep.part = options["--part"];
    sweep.parts = options["--parts"];
    return run(sweep);
}

}  // namespace
}  // namespace ticketgate::sim

int main(int count, char** words) {
    namespace sim = ticketgate::sim;
    sim::Options options = sim::parse(count, words);
    if (options.empty()) {
        std::fprintf(stderr, "tg_simulate [--seeds N | --seed S | --sweep S] [--threads 1..4]\n");
        return 2;
    }
    sim::tell_on_abort();
    std::printf("%llu worlds, no promise broken\n",
                static_cast<unsigned long long>(sim::run_what_is_told(options)));
    return 0;
}
