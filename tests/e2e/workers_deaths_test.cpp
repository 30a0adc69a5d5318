// Workers of ticketgate that end while they are idle.
#include <csignal>
#include <sstream>

#include "spawn/life.hpp"
#include "the_program.hpp"
#include "workers.hpp"

namespace ticketgate::test {
namespace {

class IdleWorkers : public testing::TestWithParam<const char*> {};

// Returns when they have ended. The process that started them may not know of it yet.
void kill_all(const Gateway& gateway) {
    for (const auto& worker : all_workers(gateway)) {
        const auto pid = static_cast<pid_t>(worker.as_object().at("pid").as_int64());
        const spawn::Life life(pid);
        ::kill(pid, SIGKILL);
        EXPECT_TRUE(eventually([&] { return life.over(); }));
    }
}

TEST_P(IdleWorkers, ThatHaveEndedWhileTheyWereIdleGetNoRequest) {
    Gateway gateway("threads: 2\n" +
                    workers(std::string("transport: ") + GetParam() + ", min: 1, max: 1"));
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(gateway.get("/q").status, 200);
        EXPECT_TRUE(wait_for_state(gateway, "idle", 1));
        Client client = gateway.client();
        kill_all(gateway);
        client.request("POST", "/q", {}, std::string(static_cast<std::size_t>(round) * 10000, 'b'));
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 200) << round;
        EXPECT_EQ(field(answer.body, "body"), std::to_string(round * 10000));
    }
    EXPECT_TRUE(eventually([&] { return gateway.line("q").in_flight == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Transports, IdleWorkers, testing::Values("socket", "descriptors"),
                         [](const auto& one) { return std::string(one.param); });

// Nothing can be passed to it: another one takes its place.
TEST(LivingWorkers, ThatCloseTheirControlSocketAreReplaced) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        const auto pid = field(gateway.get("/q?part").body, "pid");
        const auto next = gateway.get("/q");
        EXPECT_EQ(next.status, 200);
        EXPECT_NE(field(next.body, "pid"), pid);
    }
    const std::string ended =
        "ticketgate_worker_deaths_total{reason=\"protocol\",upstream=\"app\"}";
    EXPECT_TRUE(eventually([&] { return gateway.metric(ended) == 3; }));
}

std::size_t lines_with(const std::string& text, const std::string& part) {
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find(part) != line.npos;
    return count;
}

// Its first lines and its last one are in the log, however much stands between them.
TEST_F(TheProgram, LogsABoundedNumberOfTheLinesOfWorkersThatDieAtTheirStart) {
    Program program(
        {"-c", config("listen: [{ address: \"127.0.0.1:0\" }]\n"
                      "upstreams: { app: { workers: { command: [/bin/sh, -c, \"echo first line; "
                      "seq 100001 130000; echo the cause; exit 7\"], transport: descriptors, "
                      "min: 4, max: 4 }, fastcgi: { root: /app } } }\n" +
                      good_routes)});
    EXPECT_TRUE(eventually([&] { return lines_with(program.err(), "a worker has died") >= 12; }));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    const std::string log = program.err();
    EXPECT_GE(lines_with(log, "first line"), 12u);
    EXPECT_GE(lines_with(log, "the cause"), 12u);
    EXPECT_GE(lines_with(log, "a worker says more than is logged"), 12u);
    EXPECT_LT(lines_with(log, "a worker says"), 4000u) << "360024 were written";
}

}  // namespace
}  // namespace ticketgate::test
