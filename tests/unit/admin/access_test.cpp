// CONTRACT 7: write actions need a token, or loopback or a unix socket.
#include "admin/access.hpp"

#include <gtest/gtest.h>

#include <boost/url/url_view.hpp>

#include "admin/answers.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

HttpRequest with(const char* authorization, const char* origin = "",
                 const char* host = "127.0.0.1:9901") {
    HttpRequest request(http::verb::post, "/", 11);
    request.set(http::field::host, host);
    if (*authorization != '\0') request.set(http::field::authorization, authorization);
    if (*origin != '\0') request.set(http::field::origin, origin);
    return request;
}

bool may_write(const HttpRequest& request, bool local, std::string_view token) {
    return refusal(request, local, token).empty();
}

TEST(Access, AllowsProgramsOnThisMachine) {
    EXPECT_TRUE(may_write(with(""), true, ""));
    EXPECT_TRUE(may_write(with(""), true, "secret"));
    EXPECT_FALSE(may_write(with(""), false, ""));
    EXPECT_FALSE(may_write(with(""), false, "secret"));
}

TEST(Access, NeedsTheWholeToken) {
    EXPECT_TRUE(may_write(with("Bearer secret"), false, "secret"));
    EXPECT_TRUE(may_write(with("bearer secret"), false, "secret"));
    for (const char* wrong : {"Bearer secre", "Bearer secrets", "Bearer secretsecret", "Bearer ",
                              "Bearer", "secret", "Basic secret", "Bearer Secret"})
        EXPECT_FALSE(may_write(with(wrong), false, "secret")) << wrong;
    EXPECT_FALSE(may_write(with("Bearer "), false, "")) << "no token is configured";
}

TEST(Access, TellsAWrongTokenFromAMissingOne) {
    const auto why = [](const HttpRequest& request, std::string_view token) {
        return std::string(refusal(request, false, token));
    };
    EXPECT_NE(why(with(""), "secret").find("need admin.token"), std::string::npos);
    EXPECT_NE(why(with("Basic secret"), "secret").find("need admin.token"), std::string::npos);
    EXPECT_EQ(why(with("Bearer secre"), "secret"),
              "the token is wrong: it is not the admin.token in force\n");
    EXPECT_EQ(why(with("Bearer secret"), ""),
              "no token is right: the configuration in force has no admin.token\n");
    EXPECT_EQ(refusal(with("Bearer wrong"), true, "secret"), "") << "it needs none";
}

TEST(Access, RefusesThePageOfAnotherSite) {
    EXPECT_FALSE(may_write(with("", "http://evil.example"), true, ""));
    EXPECT_FALSE(may_write(with("", "null"), true, ""));
    EXPECT_TRUE(may_write(with("", "http://127.0.0.1:9901"), true, ""));
}

// A site can let its name point to 127.0.0.1; then its own page's Origin is the Host.
TEST(Access, RefusesASiteWhoseNamePointsToThisMachine) {
    for (const char* host :
         {"evil.example:9901", "evil.example", "localhost.evil.example:9901",
          "127.0.0.1.evil.example", "[evil.example]", "1.2.3", "[", "[::1].evil.example",
          "[::1]9901", "localhost:9901.evil.example", "127.0.0.1:evil.example"}) {
        EXPECT_FALSE(may_write(with("", "", host), true, "")) << host;
        const auto origin = "http://" + std::string(host);
        EXPECT_FALSE(may_write(with("", origin.c_str(), host), true, "")) << host;
        EXPECT_TRUE(may_write(with("Bearer secret", "", host), true, "secret")) << host;
        EXPECT_NE(refusal(with("", "", host), true, "").find("localhost"), std::string::npos);
    }
    for (const char* host :
         {"localhost:9901", "LOCALHOST", "127.0.0.1", "[::1]:9901", "192.0.2.7:9901", ""})
        EXPECT_TRUE(may_write(with("", "", host), true, "")) << host;
}

std::optional<std::uint64_t> number_in(const std::string& query, std::uint64_t absent) {
    const std::string target = "/?" + query;
    return query_number(boost::urls::url_view(target).params(), "number", absent);
}

TEST(Query, TakesTheDefaultForAnAbsentNumberOnly) {
    EXPECT_EQ(number_in("a=1&number=27&b=2", 0), 27u);
    EXPECT_EQ(number_in("n%75mber=%327", 0), 27u) << "in any spelling";
    for (const char* absent : {"", "numbers=1"}) EXPECT_EQ(number_in(absent, 5), 5u) << absent;
    for (const char* bad :
         {"number", "number=", "number=x", "number=1x", "number=-1", "number=99999999999999999999"})
        EXPECT_EQ(number_in(bad, 5), std::nullopt) << bad;
}

}  // namespace
}  // namespace ticketgate::admin
