// CONTRACT 7: write actions need a token, or loopback or a unix socket.
#include "admin/access.hpp"

#include <gtest/gtest.h>

#include "admin/answers.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

HttpRequest with(const char* authorization, const char* origin = "") {
    HttpRequest request(http::verb::post, "/", 11);
    request.set(http::field::host, "127.0.0.1:9901");
    if (*authorization != '\0') request.set(http::field::authorization, authorization);
    if (*origin != '\0') request.set(http::field::origin, origin);
    return request;
}

TEST(Access, IsForProgramsOfThisMachine) {
    EXPECT_TRUE(may_write(with(""), true, ""));
    EXPECT_TRUE(may_write(with(""), true, "secret"));
    EXPECT_FALSE(may_write(with(""), false, ""));
    EXPECT_FALSE(may_write(with(""), false, "secret"));
}

TEST(Access, IsForWhoKnowsTheWholeToken) {
    EXPECT_TRUE(may_write(with("Bearer secret"), false, "secret"));
    for (const char* wrong : {"Bearer secre", "Bearer secrets", "Bearer secretsecret", "Bearer ",
                              "Bearer", "secret", "Basic secret", "Bearer Secret"})
        EXPECT_FALSE(may_write(with(wrong), false, "secret")) << wrong;
    EXPECT_FALSE(may_write(with("Bearer "), false, "")) << "no token is configured";
}

TEST(Access, IsNotForAnotherSitesPage) {
    EXPECT_FALSE(may_write(with("", "http://evil.example"), true, ""));
    EXPECT_FALSE(may_write(with("", "null"), true, ""));
    EXPECT_TRUE(may_write(with("", "http://127.0.0.1:9901"), true, ""));
}

TEST(Query, NumbersAreWholeOrNotThere) {
    EXPECT_EQ(query_number("a=1&number=27&b=2", "number", 0), 27u);
    for (const char* none : {"", "number", "number=", "number=x", "number=1x", "number=-1",
                             "numbers=1", "number=99999999999999999999"})
        EXPECT_EQ(query_number(none, "number", 5), 5u) << none;
}

}  // namespace
}  // namespace ticketgate::admin
