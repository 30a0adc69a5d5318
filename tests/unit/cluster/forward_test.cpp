#include "cluster/forward.hpp"

#include <gtest/gtest.h>

namespace ticketgate::cluster {
namespace {

constexpr std::string_view secret = "0123456789abcdef";

TEST(Forward, IsWrittenWithAllThatOnlyTheOtherReplicaKnows) {
    Forward forward{secret, "app", "10.0.0.7", "web", 1'500us, "abc"};
    EXPECT_EQ(write_forward(forward),
              "1 queue=app client=10.0.0.7 listener=web waited=1500 inside=abc "
              "secret=0123456789abcdef");
    forward.listener = {};
    forward.inside.reset();
    EXPECT_EQ(write_forward(forward),
              "1 queue=app client=10.0.0.7 waited=1500 secret=0123456789abcdef");
    forward.place = 1927700489533652993;
    EXPECT_EQ(write_forward(forward),
              "1 queue=app client=10.0.0.7 waited=1500 place=1927700489533652993 "
              "secret=0123456789abcdef");
    forward.unknown = true;
    EXPECT_NE(write_forward(forward).find(" unknown=1 secret="), std::string::npos);
    EXPECT_TRUE(read_forward(write_forward(forward))->unknown);
    forward.unknown = false;
    EXPECT_FALSE(read_forward(write_forward(forward))->unknown);
    forward.place = 0;
    forward.term = 1796044189;
    EXPECT_EQ(write_forward(forward),
              "1 queue=app client=10.0.0.7 waited=1500 term=1796044189 secret=0123456789abcdef");
}

TEST(Forward, ComesBackAsItWasWritten) {
    for (const std::optional<std::string_view> inside :
         {std::optional<std::string_view>(), std::optional<std::string_view>(""),
          std::optional<std::string_view>("id=with=signs")}) {
        const Forward sent{secret, "a.b-c_d", "2001:db8::1",    "",
                           61s,    inside,    inside ? 7U : 0U, inside ? 9U : 0U};
        const std::string text = write_forward(sent);
        const auto got = read_forward(text);
        ASSERT_TRUE(got) << text;
        EXPECT_EQ(got->secret, sent.secret);
        EXPECT_EQ(got->queue, sent.queue);
        EXPECT_EQ(got->client, sent.client);
        EXPECT_EQ(got->waited, sent.waited);
        EXPECT_EQ(got->inside, sent.inside);
        EXPECT_EQ(got->place, sent.place);
        EXPECT_EQ(got->term, sent.term);
    }
}

TEST(Forward, IsRefusedWhereItCannotBeUnderstood) {
    for (const char* bad :
         {"", "1", "2 queue=a client=b secret=c", "1 queue=a secret=c", "1 client=b secret=c",
          "1 queue=a client=b waited=-1 secret=c", "1 queue=a client=b waited=x secret=c",
          "1 queue=a client=b waited=99999999999999999999 secret=c", "1 queue", "1  queue=a"})
        EXPECT_FALSE(read_forward(bad)) << bad;
}

TEST(Forward, LeavesOutWhatALaterVersionAdds) {
    const auto got = read_forward("1 queue=a client=b later=thing waited=1 secret=c");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->secret, "c");
}

TEST(Place, ComesBackAsItWasWritten) {
    const Place place{false, 1927700489533652993, 7, 1927700489533652990, 1927700489533652991, 42us,
                      51us};
    EXPECT_EQ(read_place(write_place(place)), place);
    const auto earlier = read_place("1 number=5 position=0 blocked_by=0 token=5 waited=9");
    ASSERT_TRUE(earlier) << "of a version that tells no age";
    EXPECT_EQ(earlier->age, 0us);
    const Place moved{.moved = true};
    EXPECT_EQ(write_place(moved), "1 moved=1");
    EXPECT_EQ(read_place(write_place(moved)), moved);
}

TEST(Place, IsRefusedWhereItCannotBeUnderstood) {
    for (const char* bad : {"", "0 moved=1", "1 number=x", "1 moved=2", "1 waited=-4", "1 age=-4"})
        EXPECT_FALSE(read_place(bad)) << bad;
}

TEST(Ask, ComesBackAsItWasWritten) {
    const Ask ask{secret, "app", "aa5f", 1'795'000'000, 1'795'000'009};
    const std::string text = write_ask(ask);
    EXPECT_EQ(text,
              "1 queue=app instance=aa5f term=1795000000 by=1795000009 secret=0123456789abcdef");
    EXPECT_EQ(read_ask(text), ask);
    for (const char* bad : {"", "1 queue=app secret=x", "1 term=1 secret=x",
                            "1 queue=a instance=b term=x", "1 queue=app term=1 by=2 secret=x"})
        EXPECT_FALSE(read_ask(bad)) << bad;
}

}  // namespace
}  // namespace ticketgate::cluster
