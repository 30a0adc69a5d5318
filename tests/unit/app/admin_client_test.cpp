// The targets that the commands request from the admin listener.
#include "app/admin_client.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

TEST(AdminClient, EscapesTheNameOfAQueue) {
    EXPECT_EQ(queue_target("app"), "/api/v1/queues/app");
    EXPECT_EQ(queue_target("a b/c?d#e%"), "/api/v1/queues/a%20b%2Fc%3Fd%23e%25");
    EXPECT_EQ(queue_target("a\r\nHost: b"), "/api/v1/queues/a%0D%0AHost:%20b");
}

TEST(AdminClient, NamesATicket) {
    EXPECT_EQ(release_target("app", 27, ""), "/api/v1/queues/app/release?number=27");
    EXPECT_EQ(release_target("a b", 18446744073709551615u, ""),
              "/api/v1/queues/a%20b/release?number=18446744073709551615");
}

TEST(AdminClient, NamesTheRequestOfATicket) {
    EXPECT_EQ(release_target("app", 27, "a+b/c=&d"),
              "/api/v1/queues/app/release?number=27&request_id=a%2Bb%2Fc%3D%26d");
}

TEST(AdminClient, NamesAPauseAndItsTime) {
    EXPECT_EQ(pause_target("a b", ""), "/api/v1/queues/a%20b/pause");
    EXPECT_EQ(pause_target("app", "1.5s"), "/api/v1/queues/app/pause?for=1.5s");
    EXPECT_EQ(resume_target("a b"), "/api/v1/queues/a%20b/resume");
}

TEST(AdminClient, SaysHowTheAddressOfAnAdminListenerIsWritten) {
    for (const char* const wrong : {"", "host", "a:b", "127.0.0.1:9901/path", "http://a:1", ":"}) {
        std::string why;
        EXPECT_FALSE(parse_admin_address(wrong, why)) << wrong;
        EXPECT_EQ(why, "write the address of the admin listener, as 127.0.0.1:9901 or unix:/path")
            << wrong;
    }
    std::string why;
    EXPECT_FALSE(parse_admin_address("unix:relative", why));
    EXPECT_EQ(why, "a unix socket is written unix:/path, with an absolute path");
    EXPECT_EQ(parse_admin_address("proxy.internal:9901", why)->port, 9901);
}

}  // namespace
}  // namespace ticketgate
