// Upstreams that are ticketgate itself, and a map of upstreams under another name.
#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

// A request would wait for itself, and clients would see the operator's pages.
TEST(UpstreamsOf, UpstreamsThatLeadBackAreErrors) {
    const auto told = [](const std::string& listen, const std::string& url) {
        return printed(load("listen: [{address: \"" + listen + "\"}]\n" +
                            "admin: {address: \"127.0.0.1:9901\"}\n" + "upstreams: {app: {url: \"" +
                            url + "\"}}\n" + "routes: [{prefix: /, upstream: app}]\n")
                           .problems);
    };
    EXPECT_EQ(told("127.0.0.1:8080", "http://127.0.0.1:8080"),
              Lines{"c.yaml:3:19: upstreams.app.url: leads back to ticketgate itself: "
                    "127.0.0.1:8080 is listen[0].address; write the address of the backend or "
                    "collector itself"});
    for (const auto& [listen, url] :
         {std::pair{"0.0.0.0:80", "http://localhost"}, std::pair{"0.0.0.0:80", "http://127.0.0.2"},
          std::pair{"[::]:80", "http://[::1]"}, std::pair{"[::1]:80", "http://localhost"},
          std::pair{"192.0.2.1:443", "https://192.0.2.1"}, std::pair{"unix:/run/a", "unix:/run/a"},
          std::pair{"0.0.0.0:80", "http://127.0.0.1:9901"}}) {
        const auto lines = told(listen, url);
        ASSERT_EQ(lines.size(), 1U) << listen << url;
        EXPECT_NE(lines[0].find("leads back to ticketgate itself"), std::string::npos) << lines[0];
    }
    for (const auto& [listen, url] :
         {std::pair{"127.0.0.1:8080", "http://127.0.0.2:8080"},
          std::pair{"0.0.0.0:80", "http://192.0.2.1"}, std::pair{"0.0.0.0:80", "http://shop"},
          std::pair{"127.0.0.1:0", "http://127.0.0.1:80"}, std::pair{"unix:/run/a", "unix:/run/b"}})
        EXPECT_EQ(told(listen, url), Lines{}) << listen << url;
    const auto status = load(
        "listen: [{address: \"127.0.0.1:9000\"}]\nroutes: [{prefix: /, upstream: app}]\n"
        "upstreams: {app: {url: \"fastcgi://b:9000\", fastcgi: {root: /w, status: {url: "
        "\"fastcgi://127.0.0.1:9000\"}}}}\n");
    ASSERT_EQ(status.problems.size(), 1U);
    EXPECT_EQ(status.problems[0].path, "upstreams.app.fastcgi.status.url");
}

TEST(UpstreamsOf, HintsAtIndentAndAtTheMapOfUpstreams) {
    const auto indented = printed(load("listen: x\n  admin: off\n").problems);
    ASSERT_EQ(indented.size(), 1U);
    EXPECT_NE(indented[0].find("check the indentation"), std::string::npos) << indented[0];
    const auto lines =
        printed(load("upstream: {app: {url: \"http://a\"}}\n" + base + one_route).problems);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0], "c.yaml:1:1: upstream: unknown key; did you mean upstreams?");
}

}  // namespace
}  // namespace ticketgate::config
