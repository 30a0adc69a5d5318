// Nanoseconds for one id of each format, text included: one thread, and all threads at once, each
// with its own generator as in the proxy. `./dev bench ids` runs it.
#include <benchmark/benchmark.h>

#include <string>

#include "ids/generator.hpp"

namespace {

using namespace ticketgate;
using namespace ticketgate::ids;

constexpr Machine machine{.address = 0x0a000001, .process = 4711, .worker = 7, .datacenter = 21};
constexpr std::int64_t start_us = 1'795'186'941'000'000;

// The clock is injected, one microsecond an id: a million ids a second, which is more than 65,536,
// so unique ids draw fresh roots, and a thousand a millisecond, so time-ordered ones mostly step.
void next_id(benchmark::State& state, Format format) {
    const auto thread = static_cast<std::uint32_t>(state.thread_index());
    const auto threads = static_cast<std::uint32_t>(state.threads());
    Generator generator(machine, {thread, threads});
    WallTime now{start_us};
    for (auto _ : state) {
        ++now.unix_us;
        benchmark::DoNotOptimize(generator.next(format, now));
    }
    state.SetItemsProcessed(state.iterations());
}

// The clock of a thread that makes one id for each request, as an upper bound.
void next_id_of_real_clock(benchmark::State& state, Format format) {
    Generator generator(machine);
    for (auto _ : state) benchmark::DoNotOptimize(generator.next(format, wall_now()));
    state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
    for (std::size_t i = 0; i < format_names.size(); ++i) {
        const auto format = static_cast<Format>(i);
        const std::string name(format_names[i]);
        benchmark::RegisterBenchmark(name.c_str(), next_id, format)->Threads(1)->ThreadPerCpu();
        benchmark::RegisterBenchmark((name + "/real_clock").c_str(), next_id_of_real_clock, format);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
