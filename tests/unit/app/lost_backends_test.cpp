// After the loss of a replica another one may ask php-fpm only if it is the same php-fpm.
#include "app/lost_backends.hpp"

#include <gtest/gtest.h>

#include "config/load.hpp"

namespace ticketgate {
namespace {

config::Config good(const std::string& url, const std::string& queue,
                    const std::string& status = "fastcgi://127.0.0.1:9001") {
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "cluster: {name: shop, store: {endpoints: [\"http://127.0.0.1:2379\"]}, peer: {listen: "
        "\"127.0.0.1:8081\", advertise: \"127.0.0.1:8081\", secret: 0123456789abcdef}}\n"
        "upstreams: {app: {url: \"" +
            url + "\", fastcgi: {root: /, status: {url: \"" + status +
            "\"}}}}\nqueues: {q: {cluster: true, hold_timeout: never" + queue +
            "}}\nroutes: [{prefix: /, upstream: app, queue: q}]\n",
        "c.yaml", config::environment_of({}));
    for (const auto& problem : loaded.problems)
        EXPECT_TRUE(problem.warning) << config::print(problem);
    return loaded.config ? *loaded.config : config::Config();
}

const std::string fpm = "fastcgi://127.0.0.1:9000", other = "fastcgi://127.0.0.1:9002";
const std::string idle = ", release: worker_idle";

TEST(LostBackends, DifferWhereRequestsGoElsewhere) {
    const auto one = lost_backends(good(fpm, idle));
    EXPECT_EQ(one.size(), 16u);
    EXPECT_EQ(lost_backends(good(fpm, idle, "fastcgi://127.0.0.1:9003")), one)
        << "the page of the same php-fpm";
    EXPECT_NE(lost_backends(good(other, idle)), one);
    EXPECT_EQ(lost_backends(good(fpm, "")), "") << "nobody is asked";
}

TEST(LostBackends, AreNotChangedByAReload) {
    const auto refused = [](const config::Config& started, const config::Config& next) {
        return !lost_backend_problems(started, next).empty();
    };
    EXPECT_FALSE(refused(good(fpm, idle), good(fpm, idle + ", max_in_flight: 2")));
    EXPECT_TRUE(refused(good(fpm, idle), good(other, idle)));
    EXPECT_TRUE(refused(good(fpm, ""), good(fpm, idle)));
    EXPECT_TRUE(refused(good(fpm, idle), good(fpm, "")));
    EXPECT_FALSE(refused(good(fpm, ""), good(other, "")));
}

}  // namespace
}  // namespace ticketgate
