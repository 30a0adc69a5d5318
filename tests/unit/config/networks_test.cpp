// Which clients are in which networks.
#include "config/networks.hpp"

#include <gtest/gtest.h>

namespace ticketgate::config {
namespace {

struct Client {
    std::vector<std::string> networks;
    const char* ip;
    bool contained;
};

const Client clients[] = {
    {{}, "127.0.0.1", false},
    {{"10.0.0.0/8"}, "10.255.0.1", true},
    {{"10.0.0.0/8"}, "11.0.0.1", false},
    {{"10.1.2.3/8"}, "10.9.9.9", true},  // host bits do not count
    {{"10.1.2.3"}, "10.1.2.3", true},
    {{"10.1.2.3"}, "10.1.2.4", false},
    {{"10.1.2.3/32"}, "10.1.2.3", true},
    {{"0.0.0.0/0"}, "203.0.113.1", true},
    {{"0.0.0.0/0"}, "::1", false},
    {{"192.168.1.128/25"}, "192.168.1.127", false},
    {{"192.168.1.128/25"}, "192.168.1.128", true},
    {{"172.16.0.0/12"}, "172.31.255.255", true},
    {{"172.16.0.0/12"}, "172.32.0.0", false},
    {{"::1"}, "::1", true},
    {{"::1"}, "::2", false},
    {{"fd00::/8"}, "fdff::1", true},
    {{"fd00::/8"}, "fe00::1", false},
    {{"2001:db8::/33"}, "2001:db8:7fff::1", true},
    {{"2001:db8::/33"}, "2001:db8:8000::1", false},
    {{"::/0"}, "2001:db8::1", true},
    {{"::/0"}, "10.0.0.1", false},
    {{"::/0"}, "::ffff:10.0.0.1", false},
    {{"::/64"}, "127.0.0.1", false},
    {{"::/80"}, "127.0.0.1", false},
    {{"::/64"}, "::1", true},
    {{"::ffff:10.0.0.1"}, "10.0.0.1", true},  // IPv4 in another spelling
    {{"::ffff:0:0/96"}, "10.0.0.1", true},
    {{"::ffff:0:0/95"}, "10.0.0.1", false},
    {{"0.0.0.0/0"}, "::ffff:10.0.0.1", true},
    {{"127.0.0.0/8", "::1", "10.0.0.0/8"}, "10.1.1.1", true},
    {{"127.0.0.0/8", "::1", "10.0.0.0/8"}, "::1", true},
    {{"10.0.0.0/8"}, "unix", false},
    {{"unix"}, "unix", true},
    {{"unix"}, "127.0.0.1", false},
    {{"unix", "10.0.0.0/8"}, "10.0.0.1", true},
    {{"0.0.0.0/0", "::/0"}, "unix", false},
    {{"10.0.0.0/8"}, "", false},
    {{"nonsense"}, "10.0.0.1", false},
    {{"10.0.0.0/33"}, "10.0.0.1", false},
    {{"10.0.0.0/x", "::/129"}, "10.0.0.1", false},
    {{"nonsense", "10.0.0.0/8"}, "10.0.0.1", true},
};

TEST(Networks, ContainAddresses) {
    for (const Client& one : clients) {
        std::string networks;
        for (const auto& network : one.networks) networks += network + " ";
        EXPECT_EQ(Networks(one.networks).contains(one.ip), one.contained) << networks << one.ip;
    }
}

}  // namespace
}  // namespace ticketgate::config
