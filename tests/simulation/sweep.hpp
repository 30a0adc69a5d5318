// Every cancellation at every wait: each scenario is run once to count its steps, and then again
// for each step and each thing that can end a wait there.
#pragma once

#include <cstdint>

#include "simulation/house.hpp"

namespace ticketgate::sim {

inline constexpr std::uint64_t none = ~std::uint64_t{0};

struct Sweep {
    std::uint32_t threads = 1;
    std::uint64_t schedule = 1;     ///< the seed of who runs when
    std::uint64_t stride = 1;       ///< every step, or only each so many-th
    std::uint64_t scenario = none;  ///< only this one
    std::uint64_t kind = none;      ///< only this kind of injection
    bool pairs = false;             ///< each kind with each other one right behind it
    std::uint64_t then = none;      ///< only this one behind it
    std::uint64_t step = 0;         ///< only this step, told step by step
    std::uint64_t part = 0;         ///< of all kinds, only this one of `parts`
    std::uint64_t parts = 1;
};

/// How many worlds were run.
std::uint64_t run(const Sweep& sweep);

}  // namespace ticketgate::sim
