// The JSON of the admin listener, read.
#include "top/picture.hpp"

#include <gtest/gtest.h>

#include "answers.hpp"

namespace ticketgate::top {
namespace {

TEST(Picture, HasEachQueue) {
    const auto queues = read_queues(test::all());
    ASSERT_TRUE(queues);
    ASSERT_EQ(queues->size(), 3u);
    const QueueLine& cart = queues->at(1);
    EXPECT_EQ(cart.name, "cart");
    EXPECT_EQ(cart.order, "ready");
    EXPECT_EQ(cart.waiting, 2u);
    EXPECT_EQ(cart.in_flight, 1u);
    EXPECT_EQ(cart.max_in_flight, 1u);
    EXPECT_EQ(cart.oldest_hold, 14);
    EXPECT_EQ(cart.oldest_wait, 1.25);
    EXPECT_TRUE(cart.blocked());
    EXPECT_FALSE(queues->at(2).blocked());
}

TEST(Picture, ALineOfSeveralSlotsIsBlockedWhileNoneComesFree) {
    const auto blocked = [](const std::string& more) {
        return read_queues(R"({"queues":[)" + test::queue("two", 4, 2, 2, "120.0", "0.4", more) +
                           "]}")
            ->at(0)
            .blocked();
    };
    EXPECT_FALSE(blocked(R"(,"stalled_seconds":0.1)"));
    EXPECT_TRUE(blocked(R"(,"stalled_seconds":60.0)"));
    EXPECT_TRUE(blocked("")) << "a process of an earlier version tells the oldest hold only";
}

TEST(Picture, HasEachTicketOfAQueueAndItsState) {
    const std::string inside = test::ticket(11, "/d", R"("held_seconds":2.0,"inside_of":7)");
    const auto tickets = read_tickets(test::queue(
        "cart", 2, 1, 1, "14.0", "1.0",
        test::tickets(test::ticket(7, "/a", R"("held_seconds":14.0)"),
                      test::ticket(8, "/b", R"("waited_seconds":1.0,"ready":true)") + "," +
                          test::ticket(9, "/c", R"("waited_seconds":0.5,"ready":false)"),
                      4, inside)));
    ASSERT_TRUE(tickets);
    EXPECT_EQ(tickets->queue.name, "cart");
    EXPECT_EQ(tickets->hidden, 4u);
    ASSERT_EQ(tickets->lines.size(), 4u);
    const auto state = [&](std::size_t i) { return tickets->lines[i].state; };
    EXPECT_EQ(state(0), TicketState::running);
    EXPECT_EQ(state(1), TicketState::inside);
    EXPECT_EQ(tickets->lines[1].inside_of, 7u);
    EXPECT_EQ(state(2), TicketState::waiting);
    EXPECT_EQ(state(3), TicketState::uploading);
    EXPECT_EQ(tickets->lines[0].number, 7u);
    EXPECT_EQ(tickets->lines[0].target, "/a");
    EXPECT_EQ(tickets->lines[0].request_id, "r7");
    EXPECT_EQ(tickets->lines[3].seconds, 0.5);
}

TEST(Picture, HasTheProblemsOfAConfigThatIsNotInForce) {
    const auto config =
        read_config(R"({"age_seconds":90.5,"last_read":{"age_seconds":7.5,"in_force":false,)"
                    R"("problems_not_shown":2,"problems":["c.yaml:1: bad","c.yaml:2: bad"]}})");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->age, 90.5);
    EXPECT_EQ(config->read, 7.5);
    EXPECT_EQ(config->problems, 4u);
    EXPECT_EQ(config->first_problem, "c.yaml:1: bad");
}

TEST(Picture, IsNothingFromAnyOtherText) {
    for (const char* text :
         {"", "no such page\n", "[]", "{}", R"({"queues":3})", R"({"queues":[{"name":"a"}]})"}) {
        EXPECT_FALSE(read_queues(text)) << text;
        EXPECT_FALSE(read_tickets(text)) << text;
        EXPECT_FALSE(read_config(text)) << text;
    }
}

TEST(Picture, HasTheLineOfADrain) {
    EXPECT_EQ(read_drain("draining\nwhat still runs is cut in 9 s (drain_timeout)\nconfig\n"),
              "what still runs is cut in 9 s (drain_timeout)");
    EXPECT_EQ(read_drain("draining\nconfiguration a.yaml in force\n"), "") << "an earlier version";
    EXPECT_EQ(read_drain("ok\n"), "");
}

}  // namespace
}  // namespace ticketgate::top
