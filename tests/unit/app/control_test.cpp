// The control thread after an exception: signals are heard, and work that plans its own next turn
// is asked to plan it anew.
#include "app/control.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace ticketgate {
namespace {

struct ControlThread : testing::Test {
    void raise(int signal) {
        control.post([signal] { ::raise(signal); });
    }

    Log log{Level::off};
    std::vector<int> heard;
    std::function<void(int)> on_signal = [](int) {};
    Control control{log, [this](int signal) {
                        heard.push_back(signal);
                        on_signal(signal);
                    }};
};

TEST_F(ControlThread, HearsTheNextSignalAfterOneThatFailed) {
    on_signal = [this](int signal) {
        if (signal == SIGTERM) return control.stop();
        raise(SIGTERM);
        throw std::runtime_error("no memory");
    };
    control.hear_signals();
    raise(SIGUSR1);
    control.run();
    EXPECT_EQ(heard, (std::vector{SIGUSR1, SIGTERM}));
}

TEST_F(ControlThread, PlansAnewAfterAnException) {
    control.after_failure([this] { control.stop(); });
    control.post([] { throw std::runtime_error("no memory"); });
    control.run();  // ends only if it does
}

// Also where a try takes longer than the pause between two.
TEST_F(ControlThread, TriesAgainAndServesMeanwhile) {
    int tries = 0;
    bool served = false;
    control.after_failure([&] {
        if (++tries == 2) return control.stop();
        control.post([&served] { served = true; });
        for (const Time begun = monotonic_now(); monotonic_now() - begun < 150ms;) continue;
        throw std::runtime_error("still no memory");
    });
    control.post([] { throw std::runtime_error("no memory"); });
    control.run();
    EXPECT_EQ(tries, 2);
    EXPECT_TRUE(served);
}

}  // namespace
}  // namespace ticketgate
