// Small worlds written by hand, each with one wait or another in it: what every cancellation is
// tried on at every step.
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

}  // namespace ticketgate::sim
