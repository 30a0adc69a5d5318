// The label of a request for operators: its size is fixed, whatever a client sends.
#include "gate/request_label.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace ticketgate {
namespace {

static_assert(std::is_trivially_copyable_v<RequestLabel>, "a copy under a lock allocates nothing");

TEST(RequestLabel, KeepsARequestThatFits) {
    const RequestLabel label("id-1", "2001:db8::1", "GET", "/shop?item=7");
    EXPECT_EQ(label.request_id(), "id-1");
    EXPECT_EQ(label.client_ip(), "2001:db8::1");
    EXPECT_EQ(label.method(), "GET");
    EXPECT_EQ(label.target(), "/shop?item=7");
}

TEST(RequestLabel, CutsALongTargetAndSaysSo) {
    const std::string target = "/" + std::string(5000, 'a');
    const RequestLabel label(std::string(32, 'i'), "127.0.0.1", "POST", target);
    EXPECT_EQ(label.target(), target.substr(0, RequestLabel::capacity - 32 - 9 - 4 - 3) + "...");
}

TEST(RequestLabel, KeepsTheLongestIdAddressAndUpstreamWhole) {
    const std::string id(128, 'i'), ip(45, 'f');
    const std::string upstream(32, 'u');
    const RequestLabel label(id, ip, "OPTIONS", "/a/very/long/target", upstream);
    EXPECT_EQ(label.upstream(), upstream);
    EXPECT_EQ(label.request_id(), id);
    EXPECT_EQ(label.client_ip(), ip);
    EXPECT_EQ(label.method(), "OPTIONS");
    EXPECT_EQ(label.target(), "/a/very/long/...");
}

TEST(RequestLabel, CutsALongMethod) {
    const RequestLabel label("id", "::1", "AMETHODTHATNOBODYHASHEARDOF", "/");
    EXPECT_EQ(label.method(), "AMETHODTHATNO...");
    EXPECT_EQ(label.target(), "/");
}

TEST(RequestLabel, IsEmptyByDefault) {
    const RequestLabel label{};
    EXPECT_EQ(label.request_id(), "");
    EXPECT_EQ(label.target(), "");
}

}  // namespace
}  // namespace ticketgate
