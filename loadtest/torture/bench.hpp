#pragma once
// Runs scenarios one after the other and makes a row of each: measures before, lets the clients
// run, waits until backend and proxy are at rest, probes every line, and judges.

#include "scenario.hpp"
#include "verdict.hpp"

namespace loadtest {

Row run_scenario(World& world, const Scenario& scenario);
// Runs once before the first scenario, so that the proxy's lazily opened descriptors are open.
void warm_up(World& world);

}  // namespace loadtest
