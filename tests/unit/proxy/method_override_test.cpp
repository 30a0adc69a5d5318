// Requests that name a method other than that of their request line.
#include "proxy/method_override.hpp"

#include <gtest/gtest.h>

#include "config/proxy_headers.hpp"
#include "http/parser.hpp"

namespace ticketgate {
namespace {

using config::MethodOverride;

TEST(MethodParameter, InEverySpellingThatPhpTakesForIt) {
    for (const char* target :
         {"/?_method=PUT", "/a?x=1&_method=PUT", "/?_method", "/?_method=", "/?;_method=PUT",
          "/?%5fmethod=PUT", "/?%5Fm%65thod=PUT", "/?+_method=PUT", "/?%20%20_method=PUT",
          "/?.method=PUT", "/?+.method=PUT", "/?%2emethod=PUT", "/?_METHOD=PUT",
          "/?_method%00x=PUT", "/?_method[]=PUT", "/?_method%5Ba%5D=PUT", "/?&&_method=PUT",
          "http://a/?_method=PUT"})
        EXPECT_TRUE(has_method_parameter(target)) << target;
    for (const char* target : {"/", "/_method=PUT", "/?", "/?method=PUT", "/?x=_method",
                               "/?x=_method=PUT", "/?_methods=1", "/?_metho", "/?__method=1",
                               "/?[_method]=1", "/?%=&%2=&%zz_method", "/?_met%00hod=1", "*"})
        EXPECT_FALSE(has_method_parameter(target)) << target;
}

bool names(const std::string& lines, MethodOverride policy, const std::string& target = "/") {
    static const http::NameSet headers{config::method_headers()};
    http::RequestHead head;
    const std::string text = "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
    EXPECT_TRUE(http::parse_request(text, http::HeadLimits(), head));
    return names_another_method(head, policy, headers);
}

TEST(MethodOverride, AHeaderQueuesUnlessItIsRemovedOrForwarded) {
    using enum MethodOverride;
    for (const char* line :
         {"X-HTTP-Method-Override: DELETE\r\n", "x_http_method_override: PUT\r\n",
          "X-HTTP-Method: PUT\r\n", "X-Method-Override: PUT\r\n", "X.Method.Override: PUT\r\n",
          "X-Method-Override:\r\n"}) {
        EXPECT_TRUE(names(line, queue)) << line;
        EXPECT_FALSE(names(line, remove)) << line;
        EXPECT_FALSE(names(line, forward)) << line;
    }
    EXPECT_FALSE(names("X-Method: PUT\r\n", queue));
}

// The client's own bytes are forwarded, so a parameter cannot be removed.
TEST(MethodOverride, AParameterQueuesUnlessItIsForwarded) {
    EXPECT_TRUE(names("", MethodOverride::queue, "/?_method=PUT"));
    EXPECT_TRUE(names("", MethodOverride::remove, "/?_method=PUT"));
    EXPECT_FALSE(names("", MethodOverride::forward, "/?_method=PUT"));
    EXPECT_FALSE(names("", MethodOverride::queue));
}

bool names_in_body(std::string_view method, const std::string& lines, MethodOverride policy) {
    static const http::NameSet headers{config::method_headers()};
    http::RequestHead head;
    const std::string text = std::string(method) + " / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
    EXPECT_TRUE(http::parse_request(text, http::HeadLimits(), head));
    return names_another_method(head, policy, headers);
}

// A form's `_method` stands behind the head, where nothing is read before the queue.
TEST(MethodOverride, ABodyThatTheMethodHasNoUseForQueuesUnlessItIsForwarded) {
    using enum MethodOverride;
    for (const char* line : {"Content-Length: 11\r\n", "Transfer-Encoding: chunked\r\n"}) {
        for (const char* method : {"GET", "HEAD", "OPTIONS", "DELETE"}) {
            EXPECT_TRUE(names_in_body(method, line, queue)) << method << line;
            EXPECT_TRUE(names_in_body(method, line, remove)) << method << line;
            EXPECT_FALSE(names_in_body(method, line, forward)) << method << line;
        }
        for (const char* method : {"POST", "PUT", "PATCH", "PROPFIND"})
            EXPECT_FALSE(names_in_body(method, line, queue)) << method << line;
    }
    EXPECT_FALSE(names_in_body("GET", "Content-Length: 0\r\n", queue));
}

}  // namespace
}  // namespace ticketgate
