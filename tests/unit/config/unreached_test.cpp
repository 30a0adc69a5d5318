// Warnings about queues that other routes turn off, and about patterns that match more than meant.
#include "config/regex_sample.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::string told(const std::string& routes) {
    std::string lines;
    for (const auto& line : printed(load(base + "routes: [" + routes + "]\n").problems))
        lines += line + "\n";
    return lines;
}

TEST(RegexSample, HasTheFirstChoiceOfEach) {
    for (const auto& [regex, text] : {std::pair{"^/static/", "/static/"},
                                      {"(?i)^/health$", "/health"},
                                      {"/(css|js)/", "/css/"},
                                      {"^/a/[0-9]+\\.png$", "/a/0.png"},
                                      {"^/(?:x|y(z|w))/.*", "/x/x"},
                                      {"\\d{2}/b|c", "1/b"},
                                      {"a(b", "ab"},
                                      {"[", ""},
                                      {"\\", ""},
                                      {"(?", ""},
                                      {"x{", "x"},
                                      {".*", "x"}})
        EXPECT_EQ(sample_of(regex), text) << regex;
}

TEST(Unreached, AQueueThatALaterRouteTurnsOff) {
    for (const char* routes : {"{regex: ^/admin, queue: a}, {regex: ^/, queue: off}",
                               "{prefix: /cart.php, queue: a}, {regex: '.*', queue: off}",
                               "{regex: '\\.php(/|$)', queue: a}, {regex: '^/.*$', queue: off}",
                               "{prefix: /, queue: a}, {regex: '^/health|', queue: off}",
                               "{prefix: /, queue: a}, {regex: '^/(health)?', queue: off}"})
        EXPECT_NE(told(routes).find("no request reaches its queue"), std::string::npos) << routes;
    for (const char* routes :
         {"{regex: ^/, queue: off}, {regex: '^/admin(/|$)', queue: a}",
          "{prefix: /, queue: a}, {regex: '^/health$', queue: off, methods: [GET, HEAD]}",
          "{prefix: /, queue: a}, {regex: ^/, queue: off, methods: [GET]}",
          "{prefix: /, queue: a}, {prefix: /x, queue: off}"})
        EXPECT_EQ(told(routes).find("no request reaches"), std::string::npos) << told(routes);
}

TEST(Unreached, AFolderThatIsMatchedAnywhere) {
    for (const char* regex : {"/static/", "static", "/(css|js|images)/"}) {
        const auto routes =
            std::string("{prefix: /, queue: a}, {regex: '") + regex + "', queue: off}";
        EXPECT_NE(told(routes).find("which runs /a.php on most servers"), std::string::npos)
            << told(routes);
    }
    EXPECT_EQ(told("{prefix: /, queue: a}, {regex: '^/static/', queue: off}"), "");
}

}  // namespace
}  // namespace ticketgate::config
