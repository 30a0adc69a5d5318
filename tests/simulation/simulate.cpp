// tg_simulate: worlds by the hundred thousand, one seed each. The first that breaks a promise ends
// the run and says how to see it alone.
//   tg_simulate [--seeds N] [--from S] [--threads 1|2|3]     random worlds
//   tg_simulate --seed S [--threads N]                       one of them, told step by step
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simulation/world.hpp"

namespace ticketgate::sim {
namespace {

struct Options {
    std::uint64_t seeds = 1000, from = 1, seed = 0;
    std::uint32_t threads = 0;  // 0: as the seed says
};

// Known to the handler of an abort: a broken TG_CHECK or a sanitizer ends the process.
std::uint64_t present_seed = 0;
std::uint32_t present_threads = 0;

void say_how_to_replay() {
    char line[120];
    const int n =
        std::snprintf(line, sizeof(line), "replay: tg_simulate --seed %llu --threads %u\n",
                      static_cast<unsigned long long>(present_seed), present_threads);
    (void)!::write(2, line, static_cast<std::size_t>(n));
}

void on_abort(int) {
    say_how_to_replay();
}

std::string run(const Options& options, std::uint64_t seed, Ground& ground, bool print,
                std::uint64_t& hash) {
    const Plan plan = plan_of(seed, options.threads);
    World world(plan, seed, ground, print);
    const std::string failure = world.run();
    hash = world.hash();
    if (!failure.empty()) {
        std::printf("seed %llu: %s (step %llu)\n", static_cast<unsigned long long>(seed),
                    failure.c_str(), static_cast<unsigned long long>(world.steps()));
        std::fflush(stdout);
        say_how_to_replay();
        std::_Exit(1);  // what is half done cannot be taken down
    }
    return failure;
}

int run_all(const Options& options) {
    Ground ground(Level::off);
    for (std::uint64_t seed = options.from; seed < options.from + options.seeds; ++seed) {
        present_seed = seed;
        std::uint64_t hash = 0, again = 0;
        run(options, seed, ground, false, hash);
        if (seed % 64 != 0) continue;
        run(options, seed, ground, false, again);
        if (hash == again) continue;
        std::printf("seed %llu does not repeat itself\n", static_cast<unsigned long long>(seed));
        say_how_to_replay();
        return 1;
    }
    std::printf("%llu worlds, no promise broken\n", static_cast<unsigned long long>(options.seeds));
    return 0;
}

int run_one(const Options& options) {
    Ground ground(Level::debug);
    std::uint64_t hash = 0;
    present_seed = options.seed;
    run(options, options.seed, ground, true, hash);
    std::printf("seed %llu: no promise broken\n", static_cast<unsigned long long>(options.seed));
    return 0;
}

bool parse(int count, char** words, Options& options) {
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = words[i];
        const std::uint64_t value = std::strtoull(words[i + 1], nullptr, 10);
        if (name == "--seeds")
            options.seeds = value;
        else if (name == "--from")
            options.from = value;
        else if (name == "--seed")
            options.seed = value;
        else if (name == "--threads")
            options.threads = static_cast<std::uint32_t>(value);
        else
            return false;
    }
    return count % 2 == 1 && options.threads <= 3;
}

}  // namespace
}  // namespace ticketgate::sim

int main(int count, char** words) {
    using namespace ticketgate::sim;
    std::signal(SIGABRT, on_abort);
    Options options;
    if (!parse(count, words, options)) {
        std::fprintf(stderr, "tg_simulate [--seeds N] [--from S] [--seed S] [--threads 1|2|3]\n");
        return 2;
    }
    present_threads = options.threads;
    return options.seed != 0 ? run_one(options) : run_all(options);
}
