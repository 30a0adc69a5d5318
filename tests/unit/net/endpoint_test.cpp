// Addresses: parsing and printing.
#include "net/endpoint.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace ticketgate::net {
namespace {

struct Literal {
    const char* host;
    std::uint16_t port;
    const char* ip;  // null: not an address
    const char* text;
};

constexpr Literal literals[] = {
    {"127.0.0.1", 80, "127.0.0.1", "127.0.0.1:80"},
    {"0.0.0.0", 0, "0.0.0.0", "0.0.0.0:0"},
    {"255.255.255.255", 65535, "255.255.255.255", "255.255.255.255:65535"},
    {"::1", 8080, "::1", "[::1]:8080"},
    {"[::1]", 8080, "::1", "[::1]:8080"},
    {"::", 1, "::", "[::]:1"},
    {"2001:DB8:0:0::1", 443, "2001:db8::1", "[2001:db8::1]:443"},
    {"::ffff:10.0.0.1", 80, "10.0.0.1", "10.0.0.1:80"},  // mapped: shown as IPv4
    {"localhost", 80, nullptr, nullptr},
    {"", 80, nullptr, nullptr},
    {"[]", 80, nullptr, nullptr},
    {"[", 80, nullptr, nullptr},
    {"10.0.0", 80, nullptr, nullptr},
    {"10.0.0.256", 80, nullptr, nullptr},
    {"10.0.0.1 ", 80, nullptr, nullptr},
    {"10.0.0.1:80", 80, nullptr, nullptr},
    {":::1", 80, nullptr, nullptr},
};

TEST(Endpoint, LiteralAddresses) {
    for (const Literal& literal : literals) {
        const auto endpoint = Endpoint::from_ip(literal.host, literal.port);
        ASSERT_EQ(endpoint.has_value(), literal.ip != nullptr) << literal.host;
        if (!endpoint) continue;
        EXPECT_EQ(endpoint->ip(), literal.ip);
        EXPECT_EQ(endpoint->text(), literal.text);
        EXPECT_EQ(endpoint->port(), literal.port);
        EXPECT_FALSE(endpoint->is_unix());
    }
}

TEST(Endpoint, HasTheAddressThatTheSystemTakes) {
    const auto v4 = *Endpoint::from_ip("10.1.2.3", 8080);
    ASSERT_EQ(v4.size(), sizeof(sockaddr_in));
    const auto& address = *reinterpret_cast<const sockaddr_in*>(v4.address());
    EXPECT_EQ(address.sin_family, AF_INET);
    EXPECT_EQ(address.sin_port, htons(8080));
    EXPECT_EQ(address.sin_addr.s_addr, inet_addr("10.1.2.3"));
    EXPECT_EQ(Endpoint::from_ip("::1", 1)->size(), sizeof(sockaddr_in6));
    EXPECT_EQ(Endpoint(v4.address(), v4.size()).text(), v4.text());
}

TEST(Endpoint, UnixPaths) {
    const auto endpoint = *Endpoint::from_unix("/run/app.sock");
    EXPECT_TRUE(endpoint.is_unix());
    EXPECT_EQ(endpoint.text(), "unix:/run/app.sock");
    EXPECT_EQ(endpoint.ip(), "unix");
    EXPECT_EQ(endpoint.port(), 0);
    EXPECT_EQ(endpoint.size(), offsetof(sockaddr_un, sun_path) + sizeof("/run/app.sock"));
}

TEST(Endpoint, UnixPathsHaveALimit) {
    EXPECT_FALSE(Endpoint::from_unix(""));
    EXPECT_FALSE(Endpoint::from_unix(std::string(108, 'x')));
    const std::string longest(107, 'x');
    ASSERT_TRUE(Endpoint::from_unix(longest));
    EXPECT_EQ(Endpoint::from_unix(longest)->text(), "unix:" + longest);
}

}  // namespace
}  // namespace ticketgate::net
