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

}  // namespace
}  // namespace ticketgate::spawn
