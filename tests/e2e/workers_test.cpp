// Workers that ticketgate starts itself (`workers:`), with both transports.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "workers.hpp"

namespace ticketgate::test {
namespace {

class Workers : public testing::TestWithParam<const char*> {
 protected:
    std::string with(const std::string& more, const std::string& queue = {}) const {
        return workers(std::string("transport: ") + GetParam() + ", " + more, queue);
    }
};

void open_door(const Gateway& gateway, const std::string& name) {
    (void)gateway.folder().write(name, "");
}

bool marked(const Gateway& gateway, const std::string& text) {
    return eventually([&] {
        return ("\n" + gateway.folder().read("marks")).find("\n" + text + "\n") !=
               std::string::npos;
    });
}

// Ended, also if its parent has not read its exit status.
bool is_gone(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string stat;
    std::getline(file, stat);  // an error, as where it ends meanwhile, is no exception here
    const auto name_ends = stat.rfind(") ");
    return name_ends == std::string::npos || stat[name_ends + 2] == 'Z';
}

TEST_P(Workers, AnswerRequestsWithTheirEnvironmentAndIds) {
    Gateway gateway(with("min: 1, max: 1"));
    const auto answer = gateway.post("/a", std::string(300000, 'b'));
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(field(answer.body, "pid"), std::to_string(::getpid()));
    EXPECT_EQ(field(answer.body, "body"), "300000");
    EXPECT_EQ(field(answer.body, "UNIQUE_ID"), answer.header("UNIQUE_ID"));
    EXPECT_EQ(field(answer.body, "TEST_VARIABLE"), "given");
    EXPECT_EQ(field(answer.body, "PHP_FCGI_MAX_REQUESTS"), "0");
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(field(gateway.get("/b").body, "pid"), field(answer.body, "pid"));
}

std::vector<Client> ask(const Gateway& gateway, const std::vector<std::string>& targets) {
    std::vector<Client> clients;
    for (const auto& target : targets) {
        clients.push_back(gateway.client());
        clients.back().get(target);
    }
    return clients;
}

TEST_P(Workers, BecomeMoreWithTheLineAndFewerWithoutOne) {
    Gateway gateway(with("min: 1, max: 3, idle_timeout: 50ms"));
    auto clients = ask(gateway, numbered("/a?wait=door&n=", 1, 5));
    EXPECT_TRUE(wait_for_state(gateway, "busy", 3));
    EXPECT_TRUE(eventually(
        [&] { return gateway.metric("ticketgate_worker_waiting{upstream=\"app\"}") == 2; }));
    open_door(gateway, "door");
    std::set<std::string> pids;
    for (auto& client : clients) {
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 200);
        pids.insert(field(answer.body, "pid"));
    }
    EXPECT_EQ(pids.size(), 3u);
    EXPECT_TRUE(eventually([&] { return all_workers(gateway).size() == 1; }));
    EXPECT_EQ(gateway.get("/b").status, 200);
}

TEST_P(Workers, ThatDieFailOnlyTheRequestTheyRan) {
    Gateway gateway(with("min: 2, max: 2", "max_in_flight: 2"));
    auto other = ask(gateway, {"/q/other?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin other"));
    for (const char* target : {"/q?kill", "/q?die=0", "/q?die=7", "/free?kill"})
        EXPECT_EQ(gateway.get(target).status, 502) << target;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(gateway.get("/q").status, 200);
    open_door(gateway, "door");
    EXPECT_EQ(other[0].read().status, 200);
    EXPECT_TRUE(wait_for_state(gateway, "idle", 2));
    EXPECT_EQ(gateway.metric("ticketgate_worker_deaths_total{reason=\"signal\",upstream=\"app\"}"),
              2);
    EXPECT_EQ(gateway.metric("ticketgate_worker_deaths_total{reason=\"exit\",upstream=\"app\"}"),
              2);
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
}

// A child of the worker holds its descriptors, so no socket ends with it.
TEST_P(Workers, ThatDieAreNoticedThoughTheirSocketsStayOpen) {
    Gateway gateway(with("min: 1, max: 1"));
    EXPECT_EQ(gateway.get("/q?child&kill").status, 502);
    EXPECT_EQ(gateway.get("/q").status, 200);
}

// A process that a script has left behind may do the script's work.
TEST_P(Workers, TakeWhatTheyStartedAlongWhenTheyDie) {
    Gateway gateway(with("min: 1, max: 1"));
    EXPECT_EQ(gateway.get("/q?child&kill").status, 502);
    EXPECT_EQ(gateway.get("/q/next").status, 200);
    const auto marks = gateway.folder().read("marks");
    const auto at = marks.find("child ");
    ASSERT_NE(at, std::string::npos) << marks;
    EXPECT_TRUE(is_gone(marks.substr(at + 6, marks.find('\n', at) - at - 6)));
}

// The command is a shell that starts the worker, and gets the signals in its place.
TEST_P(Workers, BehindAShellEndWithIt) {
    std::string yaml = with("min: 1, max: 1, max_requests: 1");
    yaml.replace(yaml.find(TG_TEST_WORKER), std::string(TG_TEST_WORKER).size(),
                 "/bin/sh\", \"-c\", \"" TG_TEST_WORKER "; true");
    Gateway gateway(yaml);
    for (int i = 0; i < 3; ++i) {
        const auto pid = field(gateway.get("/q").body, "pid");
        EXPECT_FALSE(pid.empty());
        EXPECT_TRUE(eventually([&] { return is_gone(pid); })) << pid;
    }
}

TEST_P(Workers, ThatAreKilledWhileTheyAreIdleAreReplaced) {
    Gateway gateway("threads: 2\n" + with("min: 8, max: 8, start_timeout: 1h"));
    for (int round = 0; round < 5; ++round) {
        EXPECT_TRUE(wait_for_state(gateway, "idle", 8));
        for (const auto& worker : all_workers(gateway))
            ::kill(static_cast<pid_t>(worker.as_object().at("pid").as_int64()), SIGKILL);
        EXPECT_TRUE(eventually([&] {
            return gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}") ==
                   8 * (round + 2);
        }));
        EXPECT_EQ(gateway.get("/q").status, 200);
    }
}

// What a worker writes beside its answers costs its request at most.
TEST_P(Workers, ThatWriteBytesThatAreNoAnswerServeTheNextRequest) {
    Gateway gateway(with("min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(gateway.get("/q?garbage").status, 502);
        EXPECT_EQ(gateway.get("/q?more").status, 200);
        EXPECT_EQ(gateway.get("/q").status, 200);
    }
}

// Only a connection that is kept stays open between two requests.
TEST_P(Workers, ThatWaitForTheEndOfTheirConnectionServeTheNextRequest) {
    if (std::string_view(GetParam()) != "descriptors") GTEST_SKIP() << "its connections are kept";
    Gateway gateway(with("min: 1, max: 1"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.get("/q?linger").status, 200);
    EXPECT_EQ(gateway.get("/free?linger").status, 200);
    EXPECT_EQ(gateway.get("/free").status, 200);
}

TEST_P(Workers, KeepTheSlotUntilTheyAreIdle) {
    Gateway gateway(with("min: 2, max: 2"));
    EXPECT_TRUE(wait_for_state(gateway, "idle", 2));
    auto first = ask(gateway, {"/q/1?late=door"});
    EXPECT_EQ(first[0].read().status, 200);
    auto second = ask(gateway, {"/q/2"});
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.get("/beside").status, 200);
    EXPECT_TRUE(marked(gateway, "end beside"));
    EXPECT_EQ(gateway.folder().read("marks"), "begin 1\nbegin beside\nend beside\n");
    open_door(gateway, "door");
    EXPECT_EQ(second[0].read().status, 200);
    EXPECT_TRUE(marked(gateway, "end 2"));
    EXPECT_EQ(gateway.folder().read("marks"),
              "begin 1\nbegin beside\nend beside\nend 1\nbegin 2\nend 2\n");
}

// A request that waits in a queue keeps the configuration that it came with.
TEST_P(Workers, OfAnOldConfigurationStartForARequestThatStillWaits) {
    Gateway gateway(with("min: 1, max: 1"));
    EXPECT_TRUE(wait_for_state(gateway, "idle", 1));
    const auto old = std::to_string(all_workers(gateway).at(0).as_object().at("pid").as_int64());
    Client slow = gateway.client();
    slow.send("POST /q/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1");
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_TRUE(gateway.reload(with("min: 1, max: 1, umask: \"0027\"")));
    EXPECT_TRUE(eventually([&] { return is_gone(old); }));
    slow.send("2");
    EXPECT_EQ(slow.read().status, 200);
}

// The client has its whole answer, and sends its next request on the same connection.
TEST_P(Workers, ThatWorkOnBehindAnAnswerOfDeclaredLengthKeepOnlyTheirSlot) {
    Gateway gateway(with("min: 3, max: 3"));
    Client client = gateway.client();
    for (const char* path : {"/q/1?tail=door", "/beside", "/free?tail=door"}) {
        client.get(path);
        EXPECT_EQ(client.read().status, 200) << path;
    }
    client.get("/q/2");
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    auto later = ask(gateway, {"/q/3"});
    EXPECT_TRUE(gateway.wait_for_waiting("q", 2));
    open_door(gateway, "door");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(later[0].read().status, 200);
    const std::string marks = gateway.folder().read("marks");
    EXPECT_LT(marks.find("end 1"), marks.find("begin 2")) << marks;
    EXPECT_LT(marks.find("end 2"), marks.find("begin 3")) << marks;
}

// The client leaves, nobody reads the answer, and the worker is not given to another request before
// it has done with the first.
TEST_P(Workers, AreNotSharedWithARequestThatWasLeft) {
    Gateway gateway(with("min: 1, max: 1"));
    auto first = ask(gateway, {"/1?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin 1"));
    first[0].close();
    auto second = ask(gateway, {"/2"});
    EXPECT_TRUE(eventually(
        [&] { return gateway.metric("ticketgate_worker_waiting{upstream=\"app\"}") == 1; }));
    open_door(gateway, "door");
    EXPECT_EQ(second[0].read().status, 200);
    EXPECT_EQ(gateway.folder().read("marks").find("begin 1\nend 1\nbegin 2\n"), 0u);
}

TEST_P(Workers, AreReplacedAfterMaxRequestsWithoutALoss) {
    Gateway gateway(with("min: 1, max: 2, max_requests: 3"));
    std::map<std::string, int> served;
    for (int i = 0; i < 30; ++i) {
        const auto answer = gateway.get(i % 2 == 0 ? "/q" : "/free");
        EXPECT_EQ(answer.status, 200);
        ++served[field(answer.body, "pid")];
    }
    for (const auto& [pid, times] : served) EXPECT_LE(times, 3) << pid;
    EXPECT_GE(served.size(), 10u);
}

// A write to a pipe that nobody reads would end it.
TEST_P(Workers, ThatEndLeaveTheirBackgroundJobsTheirOutput) {
    Gateway gateway(with("min: 1, max: 1, max_requests: 1"));
    const auto pid = field(gateway.get("/q?job=door").body, "pid");
    EXPECT_TRUE(eventually([&] { return is_gone(pid); }));
    EXPECT_EQ(gateway.get("/q").status, 200) << "its end has been seen";
    open_door(gateway, "door");
    EXPECT_TRUE(marked(gateway, "job done"));
}

TEST_P(Workers, StayWhenAReloadChangesTheirNumber) {
    Gateway gateway(with("min: 1, max: 1"));
    const auto pid = field(gateway.get("/a").body, "pid");
    auto running = ask(gateway, {"/q/1?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin 1"));
    EXPECT_TRUE(gateway.reload(with("min: 3, max: 3")));
    EXPECT_TRUE(wait_for_state(gateway, "idle", 2));
    open_door(gateway, "door");
    EXPECT_EQ(field(running[0].read().body, "pid"), pid);
    EXPECT_TRUE(gateway.reload(with("min: 0, max: 1, idle_timeout: 1ms")));
    EXPECT_TRUE(eventually([&] { return all_workers(gateway).empty(); }));
    EXPECT_EQ(gateway.get("/q").status, 200);
}

TEST_P(Workers, OfAnotherCommandReplaceThemOneByOne) {
    Gateway gateway(with("min: 1, max: 1"));
    auto running = ask(gateway, {"/q/1?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin 1"));
    EXPECT_TRUE(gateway.reload(with("min: 1, max: 1, umask: \"077\"")));
    auto next = ask(gateway, {"/q/2"});
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.get("/new").status, 200);
    open_door(gateway, "door");
    EXPECT_EQ(running[0].read().status, 200);
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_TRUE(eventually([&] { return all_workers(gateway).size() == 1; }));
    const auto marks = gateway.folder().read("marks");
    EXPECT_LT(marks.find("end 1"), marks.find("begin 2"));
}

TEST_P(Workers, ThatAreAllBusyAreWaitedForUntilConnectTimeout) {
    Gateway gateway(with("min: 1, max: 1") + "");
    auto first = ask(gateway, {"/1?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin 1"));
    EXPECT_TRUE(gateway.reload(with_connect_timeout(with("min: 1, max: 1"), "50ms")));
    EXPECT_EQ(gateway.get("/2").status, 504);
    open_door(gateway, "door");
    EXPECT_EQ(first[0].read().status, 200);
}

TEST_P(Workers, AreShownWithTheirRequests) {
    Gateway gateway(with("min: 1, max: 2"));
    EXPECT_TRUE(wait_for_state(gateway, "idle", 1));
    auto first = ask(gateway, {"/1?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin 1"));
    const auto shown = all_workers(gateway).at(0).as_object();
    open_door(gateway, "door");
    const auto answer = first[0].read();
    EXPECT_EQ(answer.header("X-Request-Id"), shown.at("request_id").as_string().c_str());
    EXPECT_EQ(field(answer.body, "pid"), std::to_string(shown.at("pid").as_int64()));
    EXPECT_EQ(shown.at("state").as_string(), "busy");
    EXPECT_EQ(shown.at("requests").as_int64(), 1);
}

// A worker that is not idle yet may still call; once it is, a call can only be that of the request
// in flight.
TEST_P(Workers, ShowWhichRequestCanHaveMadeACall) {
    std::string yaml = with("min: 2, max: 3");
    yaml.insert(0, "clients: { inside: [127.0.0.1] }\n");
    yaml.insert(yaml.find("queue: q }") + 8, ", inside_calls: pass_any");
    Gateway gateway(yaml);
    EXPECT_EQ(gateway.get("/free").status, 200);
    auto caller = ask(gateway, {"/q/caller?wait=door"});
    EXPECT_TRUE(marked(gateway, "begin caller"));
    EXPECT_TRUE(wait_for_state(gateway, "busy", 1));
    EXPECT_EQ(gateway.get("/q/call").status, 200) << "within its caller's slot";
    open_door(gateway, "door");
    EXPECT_EQ(caller[0].read().status, 200);
}

TEST_P(Workers, EndWithTicketgate) {
    std::string pid;
    {
        Gateway gateway(with("min: 2, max: 2, stop_timeout: 100ms"));
        pid = field(gateway.get("/").body, "pid");
        auto cut = ask(gateway, {"/1?wait=never"});
        EXPECT_TRUE(marked(gateway, "begin 1"));
    }
    EXPECT_NE(::kill(std::stoi(pid), 0), 0);
}

INSTANTIATE_TEST_SUITE_P(Transports, Workers, testing::Values("socket", "descriptors"),
                         [](const auto& one) { return std::string(one.param); });

TEST(WorkersOfOneKind, ThatAnswerWithAnotherCookieAreEnded) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    const auto pid = field(gateway.get("/q?badcookie").body, "pid");
    EXPECT_FALSE(pid.empty());
    const auto next = gateway.get("/q");
    EXPECT_EQ(next.status, 200);
    EXPECT_NE(field(next.body, "pid"), pid);
    EXPECT_EQ(
        gateway.metric("ticketgate_worker_deaths_total{reason=\"protocol\",upstream=\"app\"}"), 1);
}

// The second one is unread when the next request is passed to it.
TEST(WorkersOfOneKind, ThatGiveACookieBackTwiceAreEndedBehindTheNextRequest) {
    Gateway gateway(workers("transport: descriptors, min: 1, max: 1"));
    for (int i = 0; i < 5; ++i) {
        const auto pid = field(gateway.get("/q?twice").body, "pid");
        EXPECT_EQ(field(gateway.get("/q").body, "pid"), pid);
        EXPECT_NE(field(gateway.get("/q").body, "pid"), pid);
    }
    EXPECT_EQ(
        gateway.metric("ticketgate_worker_deaths_total{reason=\"protocol\",upstream=\"app\"}"), 5);
}

// A program that ends at once is not started over and over.
TEST(WorkersOfOneKind, ThatCannotStartAreTriedAgainLaterAndLater) {
    std::string yaml = workers("min: 1, max: 1");
    yaml.replace(yaml.find(TG_TEST_WORKER), std::string(TG_TEST_WORKER).size(), "/bin/false");
    Gateway gateway(with_connect_timeout(yaml, "500ms"));
    EXPECT_EQ(gateway.get("/").status, 504);
    EXPECT_LE(gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}"), 8);
    EXPECT_TRUE(gateway.reload(workers("min: 1, max: 1")));
    EXPECT_EQ(gateway.get("/").status, 200);
}

TEST(WorkersOfOneKind, ThatExitWithoutARequestAreTriedAgainLaterAndLater) {
    std::string yaml = workers("min: 1, max: 1");
    yaml.insert(yaml.find("TEST_VARIABLE"), "TEST_LEAVES: \"1\", ");
    const auto begin = std::chrono::steady_clock::now();
    Gateway gateway(yaml);
    EXPECT_TRUE(eventually(
        [&] { return gateway.metric("ticketgate_worker_starts_total{upstream=\"app\"}") >= 4; }));
    const auto pauses = std::chrono::milliseconds(100 + 200 + 400);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, pauses);
}

// Workers go from loop to loop, and requests wait for them on any.
TEST(WorkersThreads, ServeRequestsOfAllLoops) {
    for (const std::string transport : {"socket", "descriptors"}) {
        Gateway gateway("threads: 4\n" +
                        workers("transport: " + transport + ", min: 1, max: 3, max_requests: 40"));
        std::vector<std::jthread> users;
        users.reserve(8);
        std::atomic<int> good{0};
        for (int i = 0; i < 8; ++i)
            users.emplace_back([&, i] {
                for (int n = 0; n < 40; ++n)
                    good +=
                        gateway.get((i % 2 == 0 ? "/q/" : "/") + std::to_string(i)).status == 200;
            });
        users.clear();
        EXPECT_EQ(good, 320) << transport;
    }
}

}  // namespace
}  // namespace ticketgate::test
