#pragma once
// Runs scenarios one after the other and makes a row of each: measures before, lets the clients
// run, waits until backend and proxy are at rest, probes every line, and judges.

#include "scenario.hpp"
#include "verdict.hpp"

namespace loadtest {

Row run_scenario(World& world, const Scenario& scenario);
// Once, before the first: what a proxy opens lazily is open then.
void warm_up(World& world);

}  // namespace loadtest
