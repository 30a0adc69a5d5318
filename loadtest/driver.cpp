// Sends a known number of requests in a known order over keep-alive connections; some clients
// leave, read slowly or upload slowly. Then fetches the statistics of the backend. SIGUSR1: sends
// nothing new and ends with the last answer.

#include <cstdio>
#include <exception>
#include <string>

#include "driver_plan.hpp"
#include "driver_report.hpp"
#include "driver_run.hpp"
#include "fetch.hpp"
#include "options_lite.hpp"

namespace loadtest {

namespace {

// One "name value" a line instead of one line of JSON.
std::string as_lines(const std::string& json) {
    std::string out;
    for (const char c : json) {
        if (c == ',')
            out += '\n';
        else if (c == ':')
            out += "  ";
        else if (c != '"' && c != '{' && c != '}')
            out += c;
    }
    return out;
}

int drive(const Plan& plan) {
    if (!plan.backend.empty()) {
        const auto target = "/__reset?limit=" + std::to_string(plan.limit) +
                            "&slack_us=" + std::to_string(plan.slack_us);
        (void)fetch(plan.backend, target);
    }
    Driver driver{plan};
    driver.run();
    const auto result = report(plan, driver.records());
    std::printf("%s\n", (plan.text ? as_lines(result.json) : result.json).c_str());
    return plan.strict && !result.kept ? 1 : 0;
}

}  // namespace

}  // namespace loadtest

int main(int argc, char** argv) {
    const loadtest::Options options{argc, argv, loadtest::driver_usage};
    try {
        const loadtest::Plan plan{options};
        // Fires only if the run exceeds its own time limit.
        loadtest::end_after(static_cast<unsigned>(plan.timeout_us / 1'000'000 + 60));
        return loadtest::drive(plan);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "tg_driver: %s\n", failure.what());
        return 2;
    }
}
