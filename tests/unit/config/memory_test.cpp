// A config is read without memory, as at a reload: each allocation is the first to fail once.
#include <gtest/gtest.h>

#include "../../support/no_memory.hpp"
#include "config/load.hpp"

namespace ticketgate::config {
namespace {

const std::string text =
    "listen: [{address: \"127.0.0.1:8080\"}]\n"
    "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
    "queues: {app: {max_in_flight: 1}}\n"
    "routes: [{prefix: /, upstream: app, queue: app, on_full: {status: 503}}]\n";

// False: there was not enough memory.
bool loads(const Environment& environment, int pieces) {
    const NoMemory shortage(pieces);
    try {
        return load_text(text, "c.yaml", environment).config.has_value();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

TEST(LoadWithoutMemory, IsNoConfigAndNoEnd) {
    const Environment environment = environment_of({});
    ASSERT_TRUE(load_text(text, "c.yaml", environment).config);
    int pieces = 0;
    while (!loads(environment, pieces)) ASSERT_LT(++pieces, 100'000);
    EXPECT_GT(pieces, 100) << "no shortage has struck";
}

// A run that asks php-fpm's status page compares the upstreams at each turn; an exception there
// would end the process.
TEST(SameBackend, NeedsNoMemory) {
    Upstream one;
    one.url = "fastcgi://app.example.org:9000";
    one.fcgi.emplace();
    one.fcgi->root = "/srv/a/folder/of/some/length";
    one.fcgi->params = {{"A_NAME_OF_SOME_LENGTH", "a value of some length"}};
    one.fcgi->status.emplace();
    one.fcgi->status->url = "fastcgi://app.example.org:9001";
    Upstream other = one, elsewhere = one;
    other.fcgi->status->url = "fastcgi://app.example.org:9002";
    elsewhere.fcgi->root += "/else";
    const NoMemory shortage(0);
    EXPECT_TRUE(same_backend(one, other));
    EXPECT_FALSE(same_backend(one, elsewhere));
}

}  // namespace
}  // namespace ticketgate::config
