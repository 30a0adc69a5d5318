// Workers of ticketgate that end while they are idle, or do not start.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "spawn/life.hpp"
#include "support/slow_end.hpp"
#include "the_program.hpp"
#include "workers.hpp"

namespace ticketgate::test {
namespace {

class IdleWorkers : public testing::TestWithParam<const char*> {};

std::string deaths(const std::string& reason) {
    return "ticketgate_worker_deaths_total{reason=\"" + reason + "\",upstream=\"app\"}";
}

// Others may be late as well, where a start takes a starved machine so long.
void expect_ended_late(const Gateway& gateway, const std::set<std::string>& these) {
    const auto there = [&](const auto& worker) {
        return these.contains(std::to_string(worker.as_object().at("pid").as_int64()));
    };
    EXPECT_TRUE(eventually([&] { return std::ranges::none_of(all_workers(gateway), there); }));
    EXPECT_TRUE(eventually([&] {
        return gateway.metric(deaths("start_timeout")) >= static_cast<double>(these.size());
    }));
    for (const char* reason : {"exit", "signal", "protocol"})
        EXPECT_EQ(gateway.metric(deaths(reason)), 0) << reason;
}

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

// Its descriptors are open, and nothing reads from them: so it is while much memory is freed.
TEST_P(IdleWorkers, ThatHaveBegunToEndGetNoRequest) {
    std::string yaml = workers(std::string("transport: ") + GetParam() + ", min: 1, max: 4");
    yaml.insert(yaml.find("TEST_VARIABLE"), "TEST_ENDS: slowly, ");
    Gateway gateway(yaml);
    for (int round = 0; round < 3; ++round) {
        const auto pid = static_cast<pid_t>(std::stoi(field(gateway.get("/q").body, "pid")));
        EXPECT_TRUE(eventually([&] { return gateway.line("q").in_flight == 0; }));
        const spawn::Life life(pid);
        const HeldEnd end(pid);
        ::kill(pid, SIGUSR1);
        EXPECT_TRUE(eventually([&] { return life.ends(); }));
        EXPECT_FALSE(life.over());
        const auto answer = gateway.post("/q", "body");
        EXPECT_EQ(answer.status, 200) << round;
        EXPECT_NE(field(answer.body, "pid"), std::to_string(pid));
    }
    EXPECT_EQ(gateway.metric(deaths("signal")), 0);
}

INSTANTIATE_TEST_SUITE_P(Transports, IdleWorkers, testing::Values("socket", "descriptors"),
                         [](const auto& one) { return std::string(one.param); });

// The only worker does so with its answer: another one serves the next request, three times.
std::set<std::string> expect_three_replaced(const Gateway& gateway, const std::string& what) {
    std::set<std::string> pids;
    for (int i = 0; i < 3; ++i) {
        const auto pid = field(gateway.get("/q?" + what).body, "pid");
        EXPECT_FALSE(pid.empty());
        pids.insert(pid);
        const auto next = gateway.get("/q");
        EXPECT_EQ(next.status, 200);
        EXPECT_NE(field(next.body, "pid"), pid);
    }
    EXPECT_EQ(pids.size(), 3u);
    return pids;
}

void expect_replaced_behind(const Gateway& gateway, const std::string& what) {
    (void)expect_three_replaced(gateway, what);
    EXPECT_TRUE(eventually([&] { return gateway.metric(deaths("protocol")) == 3; }));
}

// Nothing can be passed to it: another one takes its place.
TEST(LivingWorkers, ThatCloseTheirControlSocketAreReplaced) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        const auto pid = field(gateway.get("/q?part").body, "pid");
        // What is passed to it just before it closes that socket is lost with it.
        Response next;
        EXPECT_TRUE(eventually([&] {
            next = gateway.get("/q");
            return next.status == 200;
        }));
        EXPECT_NE(field(next.body, "pid"), pid);
    }
    EXPECT_TRUE(eventually([&] { return gateway.metric(deaths("protocol")) == 3; }));
}

// Nothing shows that at its end, until something is passed to it, except where half of its cookie
// was read just before: then it may be ended ahead of its mark.
TEST(LivingWorkers, ThatReadTheirControlSocketNoMoreAreReplaced) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        const auto pid = field(gateway.get("/q?deaf").body, "pid");
        EXPECT_TRUE(eventually([&] {
            const std::string marks = gateway.folder().read("marks");
            return marks.find("deaf " + pid + "\n") != std::string::npos ||
                   gateway.metric(deaths("protocol")) == i + 1;
        }));
        const auto next = gateway.get("/q");
        EXPECT_EQ(next.status, 200);
        EXPECT_NE(field(next.body, "pid"), pid);
    }
    EXPECT_TRUE(eventually([&] { return gateway.metric(deaths("protocol")) == 3; }));
}

TEST(LivingWorkers, ThatShutTheirListeningSocketAreReplaced) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1"));
    expect_replaced_behind(gateway, "shut");
}

// The worker never accepts the next connection, which is in its backlog.
TEST(LivingWorkers, ThatShutTheirListeningSocketBehindTheNextConnectionAreReplaced) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1"));
    expect_replaced_behind(gateway, "shutlate");
}

// The worker never reads the bytes that were sent ahead on the connection that it keeps.
TEST(LivingWorkers, ThatShutTheirListeningSocketAndKeepTheConnectionAreReplaced) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1"));
    expect_replaced_behind(gateway, "shutkept");
}

// Only the other side of it tells that nothing can come any more.
TEST(LivingWorkers, ThatEndTheReadingSideOfTheirListeningSocketAreReplaced) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1"));
    expect_replaced_behind(gateway, "shutread");
}

// It waits for a request when it has ended its last one. It gets none.
TEST(LivingWorkers, ThatShutTheirListeningSocketAheadOfTheirAnswerGetNoMoreRequests) {
    Gateway gateway(workers("transport: socket, min: 1, max: 2"));
    for (int i = 0; i < 5; ++i) {
        const std::string n = std::to_string(i);
        const auto first = gateway.get("/q/a" + n + "?shutahead&late=door" + n);
        EXPECT_EQ(first.status, 200);
        EXPECT_TRUE(eventually([&] {
            return in_state(gateway, "stopping") == 1 ||
                   gateway.metric(deaths("protocol")) == i + 1;
        }));
        (void)gateway.folder().write("door" + n, "");
        const auto next = gateway.post("/q/b" + n, std::string(10000, 'b'));
        EXPECT_EQ(next.status, 200);
        EXPECT_NE(field(next.body, "pid"), field(first.body, "pid"));
        EXPECT_TRUE(eventually([&] { return gateway.metric(deaths("protocol")) == i + 1; }));
    }
}

// SIGTERM does not end it, and its group is another one.
TEST(LivingWorkers, ThatHaveLeftTheirGroupAreKilledAfterStopTimeout) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1, stop_timeout: 1ms"));
    expect_replaced_behind(gateway, "regroup&shut");
}

std::string trouble(const Gateway& gateway) {
    const auto all = boost::json::parse(gateway.admin("/api/v1/workers").body);
    const auto& app = all.as_object().at("upstreams").as_array().at(0).as_object();
    return app.at("trouble").as_string().c_str();
}

// It never waits for a request again, and is asked again and again.
TEST(LivingWorkers, ThatCloseEachConnectionAreReplacedAfterStartTimeout) {
    // The next one has this time to start, on a busy machine too.
    Gateway gateway(workers("transport: socket, min: 1, max: 1, start_timeout: 10s"));
    expect_ended_late(gateway, expect_three_replaced(gateway, "refuse"));
}

TEST(LivingWorkers, ThatCloseEachConnectionAreNamedToTheOperator) {
    Gateway gateway(workers("transport: socket, min: 1, max: 1, start_timeout: 1h"));
    EXPECT_EQ(gateway.get("/q?refuse").status, 200);
    EXPECT_TRUE(eventually([&] {
        return trouble(gateway) == "a worker ends its connections without reading from them";
    }));
}

class TalkativeWorkers : public testing::TestWithParam<const char*> {};

TEST_P(TalkativeWorkers, ThatWriteMoreBehindTheirAnswerThanASocketTakesGetToTheirEnd) {
    Gateway gateway(workers(std::string("transport: ") + GetParam() + ", min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(gateway.get("/q/a?flood").status, 200);
        EXPECT_EQ(gateway.get("/q/b").status, 200);
    }
    EXPECT_EQ(gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}"), 1);
    const std::string round = "begin a\nend a\nbegin b\nend b\n";
    EXPECT_TRUE(
        eventually([&] { return gateway.folder().read("marks") == round + round + round; }));
}

INSTANTIATE_TEST_SUITE_P(Transports, TalkativeWorkers, testing::Values("socket", "descriptors"),
                         [](const auto& one) { return std::string(one.param); });

// The cookie is the worker's word that it is done, whatever becomes of the connection.
TEST(LivingWorkers, ThatGiveTheirCookieBackWithoutAnAnswerAreDone) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(gateway.get("/q?leak").status, 502);
        Client client = gateway.client();
        client.get("/q?leakhalf");
        EXPECT_FALSE(client.read().whole());
        EXPECT_EQ(gateway.get("/q").status, 200);
    }
    EXPECT_EQ(gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}"), 1);
}

// The end of the connection takes the first bytes of the next request along, unread.
TEST(LivingWorkers, ThatCloseTheirConnectionAndWorkOnKeepTheSlot) {
    Gateway gateway("threads: 2\n" + workers("transport: socket, min: 2, max: 2"));
    for (int i = 0; i < 10; ++i) {
        const std::string n = std::to_string(i);
        EXPECT_EQ(gateway.get("/q/a" + n + "?away=door" + n).status, 200);
        Client client = gateway.client();
        client.request("POST", "/q/b" + n, {}, std::string(10000, 'b'));
        EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
        (void)gateway.folder().write("door" + n, "");
        EXPECT_EQ(client.read().status, 200);
        const auto marks = gateway.folder().read("marks");
        EXPECT_LT(marks.find("end a" + n), marks.find("begin b" + n)) << marks;
    }
}

std::size_t lines_with(const std::string& text, const std::string& part) {
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find(part) != line.npos;
    return count;
}

// Its first lines and its last one are in the log, however much stands between them. All begin at
// once: the pauses between failed starts grow.
TEST_F(TheProgram, LogsABoundedNumberOfTheLinesOfWorkersThatDieAtTheirStart) {
    Program program(
        {"-c", config("listen: [{ address: \"127.0.0.1:0\" }]\n"
                      "upstreams: { app: { workers: { command: [/bin/sh, -c, \"echo first line; "
                      "seq 100001 103000; echo the cause; exit 7\"], transport: descriptors, "
                      "min: 12, max: 12, start_timeout: 1h }, fastcgi: { root: /app } } }\n" +
                      good_routes)});
    EXPECT_TRUE(eventually([&] { return lines_with(program.err(), "a worker has died") >= 12; }));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    const std::string log = program.err();
    EXPECT_GE(lines_with(log, "first line"), 12u);
    EXPECT_GE(lines_with(log, "the cause"), 12u);
    EXPECT_GE(lines_with(log, "a worker says more than is logged"), 12u);
    EXPECT_LT(lines_with(log, "a worker says"), 4000u) << "36024 were written";
}

// Counts the lines of one process that are in the log, and those that the log reports as dropped.
std::uint64_t accounted(const std::string& log, const std::string& pid) {
    std::istringstream lines(log);
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" pid=" + pid + " ") == line.npos) continue;
        const auto dropped = line.find("dropped_lines=");
        if (dropped != line.npos) count += std::stoull(line.substr(dropped + 14));
        if (line.find("a worker says upstream=") != line.npos) ++count;
    }
    return count;
}

std::string first_pid(const std::string& log) {
    const auto at = log.find("a worker says upstream=");
    if (at == log.npos) return {};
    const auto pid = log.find("pid=", at) + 4;
    return log.substr(pid, log.find(' ', pid) - pid);
}

// The job writes no more, and its worker has ended. `sleep` keeps the job alive; the test waits for
// the lines, not for its end. Each line is one write: one that is written in two parts, around the
// worker's end, is logged as two.
TEST_F(TheProgram, TellsWhatWasDroppedOfAJobThatLivesOn) {
    Program program(
        {"-c",
         config("listen: [{ address: \"127.0.0.1:0\" }]\n"
                "upstreams: { app: { workers: { command: [/bin/sh, -c, \"(seq 100001 103000 | "
                "while read -r n; do echo $n; done; sleep 60) & exit 7\"], transport: descriptors, "
                "min: 1, max: 1 }, "
                "fastcgi: { root: /app } } }\n" +
                good_routes)});
    EXPECT_TRUE(eventually([&] {
        const auto log = program.err();
        return accounted(log, first_pid(log)) == 3000;
    }));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
}

// Its request may still run: the slot is free when it has ended.
TEST(LivingWorkers, ThatCloseTheirControlSocketAheadOfTheirCookieAreReplaced) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    expect_replaced_behind(gateway, "cut");
}

// No event tells of it, and nothing is passed to it that could fail.
TEST(LivingWorkers, ThatReadTheirControlSocketNoMoreAheadOfTheirCookieAreReplaced) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    expect_replaced_behind(gateway, "deafahead");
}

// The process that did what TEST_FIRST says.
std::string first_of(const Gateway& gateway) {
    std::error_code error;
    auto pid = std::filesystem::read_symlink(gateway.folder().file("first"), error).string();
    EXPECT_FALSE(pid.empty());
    return pid;
}

class StartingWorkers : public testing::TestWithParam<const char*> {
 protected:
    std::string with(const std::string& first, const std::string& more) const {
        std::string yaml = workers(std::string("transport: ") + GetParam() + ", " + more);
        yaml.insert(yaml.find("TEST_VARIABLE"), "TEST_FIRST: " + first + ", ");
        return yaml;
    }
};

TEST_P(StartingWorkers, ThatHangAreEndedAfterStartTimeoutAndAnotherTakesTheRequest) {
    Gateway gateway(with("hang", "min: 1, max: 1, start_timeout: 10s"));
    const auto answer = gateway.post("/q/one", std::string(100000, 'b'));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(field(answer.body, "body"), "100000");
    EXPECT_EQ(gateway.get("/q/two").status, 200);
    expect_ended_late(gateway, {first_of(gateway)});
    EXPECT_TRUE(eventually([&] {
        return gateway.folder().read("marks") == "begin one\nend one\nbegin two\nend two\n";
    }));
}

// It got nothing of the request with the cookie, as the system had no descriptor for it.
TEST(StartingWorkers, ThatTakeACookieWithoutItsConnectionAreEndedAfterStartTimeout) {
    std::string yaml = workers("transport: descriptors, min: 1, max: 1, start_timeout: 10s");
    yaml.insert(yaml.find("TEST_VARIABLE"), "TEST_FIRST: blind, ");
    Gateway gateway(yaml);
    const auto answer = gateway.post("/q/one", std::string(100000, 'b'));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(field(answer.body, "body"), "100000");
    expect_ended_late(gateway, {first_of(gateway)});
}

TEST_P(StartingWorkers, ThatDieLeaveTheirRequestToAnother) {
    Gateway gateway(with("die", "min: 0, max: 1"));
    const auto answer = gateway.post("/q/one", std::string(100000, 'b'));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(field(answer.body, "body"), "100000");
    EXPECT_EQ(gateway.metric(deaths("exit")), 1);
    EXPECT_TRUE(
        eventually([&] { return gateway.folder().read("marks") == "begin one\nend one\n"; }));
}

// Its place is held until it ends, also when nobody waits for it any more.
TEST_P(StartingWorkers, ThatHangAreEndedThoughTheirRequestHasLeft) {
    Gateway gateway(with("hang", "min: 1, max: 1, start_timeout: 10s"));
    {
        Client client = gateway.client();
        client.get("/q/left");
        EXPECT_TRUE(eventually([&] {
            return gateway.line("q").in_flight == 1 ||
                   gateway.metric(deaths("start_timeout")) > 0;  // on a starved machine
        }));
    }
    EXPECT_EQ(gateway.get("/q/next").status, 200);
    expect_ended_late(gateway, {first_of(gateway)});
    EXPECT_TRUE(eventually([&] { return gateway.line("q").in_flight == 0; }));
}

TEST_P(StartingWorkers, ThatDieAreTriedAgainLaterAndLaterAndTakeNoRequestAlong) {
    Gateway gateway(with_connect_timeout(with("all", "min: 0, max: 2"), "2s"));
    std::vector<Client> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/");
    }
    for (auto& client : clients) EXPECT_EQ(client.read().status, 504);
    EXPECT_LE(gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}"), 14);
}

INSTANTIATE_TEST_SUITE_P(Transports, StartingWorkers, testing::Values("socket", "descriptors"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace ticketgate::test
