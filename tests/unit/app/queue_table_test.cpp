// The table that the commands print from the JSON of the admin listener.
#include "app/queue_table.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

const std::string cart =
    R"({"name":"cart","waiting":2,"in_flight":1,"max_in_flight":1,"order":"arrival",)"
    R"("oldest_wait_seconds":1.25,"oldest_hold_seconds":14,"retry_after_seconds":3,)"
    R"("paused":false,"pause_left_seconds":0)";

std::string ticket(const std::string& number, const std::string& target, const std::string& more) {
    return R"({"number":)" + number + R"(,"request_id":"r)" + number +
           R"(","method":"GET","target":")" + target +
           R"(","client_ip":"192.0.2.1","blocked_by":0,)" + more + "}";
}

TEST(QueueTable, HasALineForEachQueue) {
    EXPECT_EQ(queue_table(R"({"queues":[)" + cart + "}]}\n"),
              "QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER    PAUSED\n"
              "cart   1 of 1   2        14.0s       1.2s         arrival  no\n");
    EXPECT_EQ(queue_table(R"({"queues":[]})"), "no queues\n");
}

TEST(QueueTable, SaysHowLongAPauseLasts) {
    std::string paused = cart;
    paused.replace(paused.find("\"paused\":false"), 14, "\"paused\":true");
    EXPECT_NE(queue_table(R"({"queues":[)" + paused + "}]}\n").find("arrival  0.0s more\n"),
              std::string::npos);
    paused.replace(paused.rfind('0'), 1, "null");
    EXPECT_NE(queue_table(R"({"queues":[)" + paused + "}]}\n").find("arrival  yes\n"),
              std::string::npos);
}

TEST(QueueTable, HasALineForEachTicketOfOneQueue) {
    const std::string tickets =
        R"(,"tickets":{"in_flight":[)" + ticket("7", "/a", R"("held_seconds":14)") +
        R"(],"inside":[)" + ticket("11", "/d", R"("held_seconds":2,"inside_of":7)") + "," +
        ticket("12", "/e", R"("waited_seconds":1,"inside_of":7)") + R"(],"waiting":[)" +
        ticket("8", "/b", R"("waited_seconds":1.25,"ready":true)") + "," +
        ticket("10", "/c", R"("waited_seconds":1,"ready":false)") +
        R"(],"waiting_not_shown":4,"in_flight_not_shown":0}})";
    EXPECT_EQ(queue_table(cart + tickets),
              "QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER    PAUSED\n"
              "cart   1 of 1   2        14.0s       1.2s         arrival  no\n\n"
              "NUMBER  STATE      FOR    CLIENT     REQUEST  REQUEST ID\n"
              "7       running    14.0s  192.0.2.1  GET /a   r7\n"
              "11      inside 7   2.0s   192.0.2.1  GET /d   r11\n"
              "12      inside 7   1.0s   192.0.2.1  GET /e   r12\n"
              "8       waiting    1.2s   192.0.2.1  GET /b   r8\n"
              "10      uploading  1.0s   192.0.2.1  GET /c   r10\n"
              "and 4 more\n");
}

TEST(QueueTable, SaysWhereElseRequestsOfAQueueAre) {
    const std::string old = cart + R"(,"elsewhere":"old_process","keeper":null})",
                      kept = cart + R"(,"elsewhere":"other_replica","keeper":"10.0.0.2:9902"})";
    EXPECT_EQ(
        queue_table(R"({"queues":[)" + old + "," + cart + "}," + kept + "]}"),
        "QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER    PAUSED  ALSO IN        "
        "KEPT BY\n"
        "cart   1 of 1   2        14.0s       1.2s         arrival  no      old process    -\n"
        "cart   1 of 1   2        14.0s       1.2s         arrival  no      -              -\n"
        "cart   1 of 1   2        14.0s       1.2s         arrival  no      other replica  "
        "10.0.0.2:9902\n");
}

// It is the keeper itself, or nobody is.
TEST(QueueTable, NamesNoOtherReplicaThatItDoesNotKnow) {
    const std::string unsure = cart + R"(,"elsewhere":"other_replica","keeper":null})";
    EXPECT_EQ(queue_table(R"({"queues":[)" + unsure + "]}"),
              "QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER    PAUSED  ALSO IN\n"
              "cart   1 of 1   2        14.0s       1.2s         arrival  no      not known\n");
}

TEST(QueueTable, SaysWhatBecameOfTheClient) {
    const auto state = [](const std::string& client) {
        const std::string tickets =
            R"(,"tickets":{"in_flight":[)" +
            ticket("7", "/a", R"("held_seconds":1,"client":")" + client + "\"") +
            R"(],"inside":[],"waiting":[],"waiting_not_shown":0,)"
            R"("in_flight_not_shown":0}})";
        const std::string told = queue_table(cart + tickets);
        const auto at = told.find("running");
        return told.substr(at, told.find("  ", at) - at);
    };
    EXPECT_EQ(state("served"), "running");
    EXPECT_EQ(state("gone"), "running, client left");
    EXPECT_EQ(state("slow"), "running, held back by a slow client");
    EXPECT_EQ(state("timed_out"), "running, client answered after response_timeout");
}

TEST(QueueTable, SaysThatAnIdleQueueHasNoTickets) {
    const std::string none =
        R"(,"tickets":{"in_flight":[],"inside":[],"waiting":[],"waiting_not_shown":0,)"
        R"("in_flight_not_shown":0}})";
    EXPECT_TRUE(queue_table(cart + none).ends_with("arrival  no\n\nno tickets\n"));
}

TEST(QueueTable, ShowsNoControlCharactersAndCutsLongTargets) {
    const std::string tickets =
        R"(,"tickets":{"in_flight":[)" +
        ticket("7", R"(/\u001b[31m)" + std::string(100, 'x'), R"("held_seconds":1)") +
        R"(],"inside":[],"waiting":[],"waiting_not_shown":0,"in_flight_not_shown":0}})";
    const std::string told = queue_table(cart + tickets);
    EXPECT_NE(told.find("GET /?[31mx"), std::string::npos) << told;
    EXPECT_NE(told.find("xxx...  r7"), std::string::npos) << told;
    EXPECT_EQ(told.find(std::string(61, 'x')), std::string::npos) << told;
}

TEST(WorkerTable, NamesAnUpstreamWhoseWorkersDoNotStart) {
    EXPECT_EQ(worker_table(R"({"workers":[],"upstreams":[{"upstream":"own","waiting":1,"trouble":)"
                           R"("exit 1"},{"upstream":"idle","waiting":0,"trouble":""}]})"),
              "no workers\nown: 1 request waits for a worker; the last trouble: exit 1\n");
    EXPECT_EQ(worker_table(R"({"workers":[]})"), "no workers\n") << "of an earlier version";
}

TEST(QueueTable, LeavesAnyOtherTextAsItIs) {
    EXPECT_EQ(queue_table("no queue has the name x\n"), "no queue has the name x\n");
    EXPECT_EQ(queue_table(R"({"queues":3})"), R"({"queues":3})");
}

}  // namespace
}  // namespace ticketgate
