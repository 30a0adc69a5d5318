// The supervisor's pools come and go while their timers run.
#include "spawn/supervisor.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "spawn/pool.hpp"
#include "support/patience.hpp"

namespace ticketgate::spawn {
namespace {

// A timer that is due has its handler in the queue, behind what forgets the pool.
TEST(Supervisor, ForgetsAPoolWhoseTimerIsDue) {
    boost::asio::io_context io;
    Log log(Level::error, std::make_shared<LogFile>(std::string("/dev/null")));
    metrics::Registry metrics;
    net::Loop loop{0};
    Supervisor supervisor(io, log, metrics, {&loop});
    auto pool = supervisor.make("app", {}, nullptr);
    pool->configure({.min = 0, .max = 1}, 0);
    supervisor.adopt({pool});
    boost::asio::post(io, [&] {
        test::be_slow(look_at_least + 20ms);
        boost::asio::post(io, [&] {
            pool.reset();
            supervisor.adopt({});
        });
    });
    io.run();
    EXPECT_TRUE(supervisor.pools().empty());
}

// The others would take the descriptors of requests.
TEST(Supervisor, StartsNoMoreWorkersThanItsLimit) {
    boost::asio::io_context io;
    Log log(Level::error, std::make_shared<LogFile>(std::string("/dev/null")));
    metrics::Registry metrics;
    net::Loop loop{0};
    Supervisor supervisor(io, log, metrics, {&loop}, 2);
    Recipe recipe;
    recipe.command = {.program = "/bin/sleep", .arguments = {"1000"}, .environment = {}};
    recipe.transport = Transport::descriptors;
    auto one = supervisor.make("one", recipe, [](const auto&, auto&) { return nullptr; });
    auto other = supervisor.make("other", recipe, [](const auto&, auto&) { return nullptr; });
    one->configure({.min = 1, .max = 3}, 0);
    other->configure({.min = 3, .max = 3}, 0);
    supervisor.adopt({one, other});
    EXPECT_EQ(one->view().size(), 1u);
    EXPECT_EQ(other->view().size(), 1u);
    EXPECT_EQ(one->trouble(), "");
    EXPECT_NE(other->trouble().find("half of the open files"), std::string::npos);
    one.reset();
    other.reset();
}

}  // namespace
}  // namespace ticketgate::spawn
