#include "fcgi/lost_work.hpp"

#include <gtest/gtest.h>

namespace ticketgate::fcgi {
namespace {

struct Worker {
    int pid;
    std::string state;
    Duration running{};
};

// As php-fpm 8.2 prints it.
std::string page(const std::vector<Worker>& workers, const std::string& uri = "/a.php") {
    std::string list;
    for (const Worker& one : workers) {
        const auto running = std::chrono::duration_cast<std::chrono::microseconds>(one.running);
        list += (list.empty() ? "" : ",") + std::string(R"({"pid":)") + std::to_string(one.pid) +
                R"(,"state":")" + one.state +
                R"(","start time":1795600000,"start since":9,"requests":3,"request duration":)" +
                std::to_string(running.count()) + R"(,"request method":"GET","request uri":")" +
                uri +
                R"(","content length":0,"user":"-","script":"-","last request cpu":0.00,)"
                R"("last request memory":0})";
    }
    return R"({"pool":"www","listen queue":0,"total processes":)" + std::to_string(workers.size()) +
           R"(,"processes":[)" + list + "]}";
}

class Lost : public testing::Test {
 protected:
    bool over(const std::vector<Worker>& workers, Duration at) {
        return text_over(page(workers), at);
    }
    bool text_over(const std::string& text, Duration at) {
        const auto told = lost_.still_runs(text, {Time(at), Time(at) + 1ms});
        EXPECT_TRUE(told);
        return told && *told == Working::no;
    }
    LostWork lost_;
};

TEST_F(Lost, WorkIsOverIfNoWorkerIsBusy) {
    EXPECT_TRUE(over({{1, "Idle"}, {2, "Idle", 90s}}, 10s));
}

TEST_F(Lost, WorkIsOverWhenEachBusyWorkerHasEnded) {
    EXPECT_FALSE(over({{1, "Running", 5s}, {2, "Finishing", 1s}, {3, "Idle"}}, 10s));
    EXPECT_FALSE(over({{1, "Idle", 6s}, {2, "Finishing", 2s}, {3, "Running", 1s}}, 12s));
    EXPECT_TRUE(over({{1, "Idle", 6s}, {2, "Idle", 2s}, {3, "Running", 2s}}, 13s))
        << "the third has begun behind the first page";
}

TEST_F(Lost, AWorkerThatHasBegunAnotherRequestHasEnded) {
    EXPECT_FALSE(over({{1, "Running", 5s}}, 10s));
    EXPECT_FALSE(over({{1, "Running", 10s}}, 15s)) << "the same request";
    EXPECT_TRUE(over({{1, "Running", 1s}}, 16s));
}

TEST_F(Lost, AWorkerThatIsGoneHasEnded) {
    EXPECT_FALSE(over({{1, "Running", 5s}, {2, "Idle"}}, 10s));
    EXPECT_TRUE(over({{2, "Idle"}, {3, "Idle"}}, 11s));
}

TEST_F(Lost, AWorkerThatReadsMayGetARequestYet) {
    EXPECT_FALSE(over({{1, "Reading headers", 5s}}, 10s));
    EXPECT_TRUE(over({{1, "Idle"}}, 11s));
}

TEST_F(Lost, AnImpossibleTimeProvesNothing) {
    EXPECT_FALSE(over({{1, "Running", 5s}}, 10s));
    EXPECT_FALSE(over({{1, "Running", -1s}}, 20s));
    EXPECT_FALSE(over({{1, "Running", 24h * 3650}}, 20s));
}

TEST_F(Lost, AClientThatWritesIntoThePageHidesNoWorker) {
    EXPECT_FALSE(over({{1, "Running", 5s}}, 10s));
    const std::string forged = R"("},{"pid":1,"state":"Idle","start time":1,"start since":1,)"
                               R"("requests":9,"request duration":1,"request method":"GET",)"
                               R"("request uri":"x)";
    EXPECT_FALSE(text_over(page({{1, "Running", 6s}}, forged), 11s));
}

TEST_F(Lost, APageThatIsNoneTellsNothing) {
    EXPECT_FALSE(over({{1, "Running", 5s}}, 10s));
    EXPECT_FALSE(lost_.still_runs("File not found.\n", {Time(11s), Time(11s)}));
    EXPECT_FALSE(over({{1, "Running", 7s}}, 12s));
}

}  // namespace
}  // namespace ticketgate::fcgi
