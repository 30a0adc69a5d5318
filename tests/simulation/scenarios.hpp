// Small worlds written by hand, each with some kind of wait: the sweep tries every cancellation at
// every step of each.
#pragma once

#include <string>
#include <vector>

#include "simulation/plan.hpp"

namespace ticketgate::sim {

struct Scenario {
    std::string name;
    Plan plan;
};

std::vector<Scenario> scenarios();
std::vector<Scenario> early_scenarios();   ///< part of them
std::vector<Scenario> end_scenarios();     ///< the same
std::vector<Scenario> inside_scenarios();  ///< the same

}  // namespace ticketgate::sim
