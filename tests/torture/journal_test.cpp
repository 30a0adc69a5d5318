// What tg_backend's journal counts of a clustered queue: each of its counters can move.
#include "journal.hpp"

#include <gtest/gtest.h>

namespace loadtest {
namespace {

class BackendJournal : public testing::Test {
 protected:
    void run(std::string_view method, std::uint64_t seq, std::uint64_t token,
             std::string_view target = "/a?ms=1", std::string_view queue = "app") {
        RequestHead head;
        head.method = method;
        head.target = target;
        head.seq = seq;
        head.token = token;
        head.token_queue = queue;
        const auto number = journal_.start(head, 1, 1);
        journal_.end(number, seq, 1, false);
    }
    std::uint64_t counted(const std::string& name) const {
        const std::string stats = journal_.stats();
        return to_number(
            std::string_view{stats}.substr(stats.find("\"" + name + "\":") + name.size() + 3));
    }
    Journal journal_{{}};
};

TEST_F(BackendJournal, TakesTokensThatRise) {
    run("POST", 1, 10);
    run("POST", 2, 11);
    run("POST", 1, 12, "/b");  // another driver has numbers of its own
    EXPECT_EQ(counted("tokens"), 3U);
    EXPECT_EQ(counted("tokens_lower") + counted("sent_twice") + counted("repeated"), 0U);
    EXPECT_EQ(journal_.faults(), "");
}

TEST_F(BackendJournal, CountsALowerToken) {
    run("POST", 1, 10);
    run("POST", 2, 9);
    run("POST", 3, 9, "/a", "other");
    EXPECT_EQ(counted("tokens_lower"), 1U);
    EXPECT_NE(journal_.faults().find("token=9: token after 10"), std::string::npos);
}

TEST_F(BackendJournal, CountsOneTokenOfTwoRequests) {
    run("GET", 1, 10);
    run("GET", 1, 10);  // a repeat keeps its token
    EXPECT_EQ(counted("tokens_lower"), 0U);
    run("GET", 2, 10);
    EXPECT_EQ(counted("tokens_lower"), 1U);
}

TEST_F(BackendJournal, CountsWhatIsSentTwice) {
    run("GET", 1, 10);
    run("POST", 2, 11);
    run("GET", 1, 12);
    EXPECT_EQ(counted("repeated"), 1U);
    EXPECT_EQ(counted("sent_twice"), 0U);
    run("POST", 2, 13);
    EXPECT_EQ(counted("sent_twice"), 1U);
}

TEST_F(BackendJournal, TellsWhatOverlaps) {
    RequestHead head;
    head.method = "GET";
    head.target = "/a";
    (void)journal_.start(head, 1, 1);
    (void)journal_.start(head, 2, 2);
    EXPECT_EQ(counted("overlaps"), 1U);
    EXPECT_EQ(journal_.faults(), "2 GET /a seq=0 token=0: overlaps\n");
}

TEST_F(BackendJournal, TellsOnceWhichRequestRanOn) {
    run("POST", 7, 10);
    RequestHead head;
    head.method = "POST";
    head.target = "/long?ms=9";
    head.seq = 8;
    head.token = 11;
    const auto longest = journal_.start(head, 5, 5);
    head.target = "/b";
    for (head.seq = 9; head.seq < 11; ++head.seq) {
        head.token = 3 + head.seq;
        journal_.end(journal_.start(head, 20 + head.seq, 20), head.seq, 30, false);
    }
    journal_.end(longest, 8, 50, false);
    run("POST", 12, 14);
    EXPECT_EQ(journal_.overlapped(), "5 29 seq=8 token=11 /long\n");
}

}  // namespace
}  // namespace loadtest
