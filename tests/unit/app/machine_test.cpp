// The sources of a machine's identity (config, environment, system), and errors in them.
#include "app/machine.hpp"

#include <gtest/gtest.h>

#include "config/environment.hpp"

namespace ticketgate {
namespace {

const System pod{"web-3", {0x0a000005, 0x0a000006}, 4711};
const System laptop{"laptop", {}, 1};

struct Asked {
    ids::Machine machine;
    std::vector<std::string> complaints;
};

Asked ask(const config::Machine& wanted, const System& system,
          std::map<std::string, std::string, std::less<>> variables = {}) {
    Asked asked;
    asked.machine =
        machine_of(wanted, config::environment_of(std::move(variables)), system, asked.complaints);
    return asked;
}

TEST(Machine, TakesWhatIsNotConfiguredFromTheSystem) {
    const auto machine = ask({}, pod).machine;
    EXPECT_EQ(machine.address, 0x0a000005u);
    EXPECT_EQ(machine.worker, 3u);
    EXPECT_EQ(machine.process, 4711u);
    EXPECT_EQ(machine.datacenter, 0u);
    EXPECT_EQ(ask({}, {"web-3.web.svc", {}, 1}).machine.worker, 3u);
}

TEST(Machine, PrefersTheEnvironmentToTheSystem) {
    const auto asked =
        ask({}, pod, {{"TICKETGATE_ADDRESS", "192.0.2.1"}, {"TICKETGATE_WORKER", "31"}});
    EXPECT_EQ(asked.machine.address, 0xc0000201u);
    EXPECT_EQ(asked.machine.worker, 31u);
    EXPECT_TRUE(asked.complaints.empty());
}

TEST(Machine, PrefersTheConfigToBoth) {
    const auto machine = ask({"198.51.100.7", 9, 4}, pod,
                             {{"TICKETGATE_ADDRESS", "192.0.2.1"}, {"TICKETGATE_WORKER", "31"}})
                             .machine;
    EXPECT_EQ(machine.address, 0xc6336407u);
    EXPECT_EQ(machine.worker, 9u);
    EXPECT_EQ(machine.datacenter, 4u);
}

TEST(Machine, LeavesAnUnknownAddressOrWorkerUnset) {
    const auto machine = ask({}, laptop).machine;
    EXPECT_FALSE(machine.address);
    EXPECT_FALSE(machine.worker);
    for (const char* name : {"", "web-", "web-32", "web-3a", "3", "web-03x", "-"})
        EXPECT_FALSE(ask({}, {name, {}, 1}).machine.worker) << name;
}

TEST(Machine, ReportsBadVariables) {
    const auto asked = ask({}, pod, {{"TICKETGATE_ADDRESS", "::1"}, {"TICKETGATE_WORKER", "32"}});
    EXPECT_EQ(asked.complaints,
              (std::vector<std::string>{"TICKETGATE_ADDRESS=::1 is not an IPv4 address",
                                        "TICKETGATE_WORKER=32 is not a number from 0 to 31"}));
    EXPECT_FALSE(asked.machine.worker) << "whoever set it did not mean the host name's";
    EXPECT_FALSE(asked.machine.address);
    EXPECT_TRUE(ask({}, laptop, {{"TICKETGATE_WORKER", ""}}).complaints.empty());
    EXPECT_EQ(ask({}, pod, {{"TICKETGATE_WORKER", ""}}).machine.worker, 3u);
}

TEST(Machine, ThisOneHasAProcessAndPerhapsAnAddress) {
    const auto system = this_system();
    EXPECT_GT(system.process, 0u);
    EXPECT_FALSE(system.host_name.empty());
    for (const auto address : system.addresses) EXPECT_NE(address >> 24, 127u);
}

}  // namespace
}  // namespace ticketgate
