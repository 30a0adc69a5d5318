#pragma once
// The result of a run: the driver's own records, and the backend's counts and log.

#include <string>

#include "driver_plan.hpp"

namespace loadtest {

struct Report {
    std::string json;
    bool kept = true;  // nothing lost, wrong, overlapping, inverted (beyond the slack) or ghostly
};

Report report(const Plan& plan, const Records& records);

}  // namespace loadtest
