#include "upgrade/message.hpp"

#include <gtest/gtest.h>

namespace ticketgate::upgrade {
namespace {

TEST(Message, ComesBackAsItWasSent) {
    for (const Message& message :
         {Message{Kind::hello, protocol}, Message{Kind::give, 0, "app"}, Message{Kind::ids},
          Message{Kind::problem, 0, "a.yaml:3:1: two words, and\na line"},
          Message{Kind::queue, 7, " name with blanks "}, Message{Kind::drain, ~0ull}})
        EXPECT_EQ(decode(encode(message)), message);
}

TEST(Message, HasADistinctWordForEachKind) {
    for (int kind = 0; kind <= static_cast<int>(Kind::guest); ++kind)
        EXPECT_EQ(decode(encode({static_cast<Kind>(kind)}))->kind, static_cast<Kind>(kind));
}

TEST(Message, OfAnotherProtocolIsNone) {
    for (const char* packet :
         {"", "give", "give ", "give x app", "give 1", "grant 0 app", "give -1 a"})
        EXPECT_EQ(decode(packet), std::nullopt) << packet;
}

TEST(Message, IsCutAtItsLimit) {
    const auto packet = encode({Kind::problem, 0, std::string(2 * longest_message, 'x')});
    EXPECT_EQ(packet.size(), longest_message);
    EXPECT_TRUE(decode(packet));
}

TEST(Message, IsWholeWithTheLongestText) {
    const Message message{Kind::finished, ~0ull, std::string(longest_text, 'x')};
    EXPECT_EQ(decode(encode(message)), message);
}

TEST(Message, KeepsItsTime) {
    for (const Time time : {Time{}, Time(5s), Time::max(), Time::min()})
        for (const Kind kind : {Kind::pause, Kind::give, Kind::ask})
            EXPECT_EQ(time_of(*decode(encode(at_time(kind, "app", time)))), time);
}

}  // namespace
}  // namespace ticketgate::upgrade
