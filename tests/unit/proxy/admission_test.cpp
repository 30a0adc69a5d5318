#include "proxy/admission.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

TEST(ClientCounts, RefuseOneMoreThanTheLimitAndForgetClientsWithoutAny) {
    ClientCounts counts;
    const auto a = counts.enter("a", 2);
    const auto b = counts.enter("a", 2);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(b, nullptr);
    EXPECT_EQ(counts.enter("a", 2), nullptr);
    EXPECT_NE(counts.enter("b", 2), nullptr);
    EXPECT_EQ(counts.clients(), 2u);
    counts.leave(a);
    EXPECT_NE(counts.enter("a", 2), nullptr);
    counts.leave(b);
    counts.leave(b);
    EXPECT_EQ(counts.clients(), 1u);
}

TEST(ClientKey, IsAnIPv4AddressOrAnIPv6NetworkOf64Bits) {
    EXPECT_EQ(client_key("203.0.113.9"), "203.0.113.9");
    EXPECT_EQ(client_key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(client_key("2001:db8:1:2::9"), client_key("2001:db8:1:2:ffff::1"));
    EXPECT_NE(client_key("2001:db8:1:2::9"), client_key("2001:db8:1:3::9"));
}

}  // namespace
}  // namespace ticketgate
