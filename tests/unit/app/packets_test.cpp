#include "app/packets.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace ticketgate {
namespace {

using upgrade::Kind;

TEST(Packets, ArriveWholeInOrderAndWithTheirDescriptors) {
    const auto [one, two] = make_link();
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const Descriptor reader(pipe[0]);
    {
        const Descriptor writer(pipe[1]);
        ASSERT_TRUE(send_packet(one.get(), {Kind::socket}, writer.get()));
    }
    ASSERT_TRUE(send_packet(one.get(), {Kind::give, 0, "app"}));
    auto first = await_packet(two.get(), 10s);
    ASSERT_TRUE(first);
    EXPECT_EQ(::write(first->descriptor.get(), "x", 1), 1);
    char byte = 0;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
    const auto second = await_packet(two.get(), 10s);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->message, (upgrade::Message{Kind::give, 0, "app"}));
    EXPECT_EQ(second->descriptor.get(), -1);
}

TEST(Packets, OfAnotherProtocolAreNoEnd) {
    const auto [one, two] = make_link();
    ASSERT_EQ(::write(one.get(), "nonsense", 8), 8);
    RawPacket packet;
    ASSERT_EQ(receive_packet(two.get(), packet), Received::packet);
    EXPECT_FALSE(decode(packet));
    ASSERT_TRUE(send_packet(one.get(), {Kind::ready}));
    ASSERT_EQ(receive_packet(two.get(), packet), Received::packet);
    EXPECT_TRUE(decode(packet));
}

TEST(Packets, EndWithTheOtherProcessAfterWhatItSent) {
    auto [one, two] = make_link();
    ASSERT_TRUE(send_packet(one.get(), {Kind::ready}));
    { const Descriptor closed = std::move(one); }
    EXPECT_TRUE(await_packet(two.get(), 10s));
    EXPECT_FALSE(await_packet(two.get(), 10s));
    EXPECT_FALSE(send_packet(two.get(), {Kind::ready}));
}

TEST(Packets, ThatFindNoRoomAreToldAtOnce) {
    const auto [one, two] = make_link();
    while (send_packet(one.get(), {Kind::give, 0, "app"})) continue;
    EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace ticketgate
