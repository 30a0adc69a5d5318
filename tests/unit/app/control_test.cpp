// The control thread after an exception: signals are heard, and work that plans its own next turn
// is asked to plan it anew.
#include "app/control.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <vector>

#include "app/signals.hpp"

namespace ticketgate {
namespace {

struct ControlThread : testing::Test {
    // Takes the signals that are pending, so that the next test does not get them.
    void TearDown() override {
        for (const int signal : service_signals)
            while (take_signal(signal)) continue;
    }

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

// Each signal sends the next ones, so one of every kind is always pending.
TEST_F(ControlThread, TakesEachKindOfSignalWhileAnotherIsSentWithoutPause) {
    on_signal = [this](int signal) {
        if (signal == SIGCHLD) return control.stop();
        for (const int next : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) ::raise(next);
    };
    control.hear_signals();
    raise(SIGHUP);
    control.run();
    EXPECT_EQ(std::ranges::find(heard, SIGCHLD) - heard.begin(), 5) << "each kind once before it";
}

TEST_F(ControlThread, HasTimeForOtherWorkWhileSignalsAreSentWithoutPause) {
    on_signal = [](int signal) { ::raise(signal); };
    control.hear_signals();
    raise(SIGHUP);
    control.post([this] { control.post([this] { control.stop(); }); });
    control.run();  // ends only if it does
}

TEST_F(ControlThread, HearsTheEndOfAChildThoughItsOwnParentIgnoresSuch) {
    std::signal(SIGCHLD, SIG_IGN);
    on_signal = [this](int) { control.stop(); };
    control.hear_signals();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    control.run();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(heard, std::vector{SIGCHLD});
}

// Also where clients leave no moment without work.
TEST_F(ControlThread, HearsSignalsAndPlansAnewAfterAnExceptionBesideWorkWithoutPause) {
    bool planned = false;
    control.after_failure([&] { planned = true; });
    on_signal = [&](int) { control.stop(); };
    control.hear_signals();
    std::function<void()> again = [&] {
        if (planned) ::raise(SIGTERM);
        control.post(again);
    };
    control.post(again);
    control.post([] { throw std::runtime_error("no memory"); });
    control.run();  // ends only if it does
    EXPECT_EQ(heard, std::vector{SIGTERM});
}

// A stop is taken before what was sent earlier.
TEST_F(ControlThread, TakesOneOfEachKindThatIsPending) {
    on_signal = [this](int signal) {
        if (signal == SIGUSR2) control.stop();
    };
    control.hear_signals();
    for (int i = 0; i < 1000; ++i)
        for (const int signal : {SIGUSR2, SIGHUP, SIGTERM}) ::raise(signal);
    control.run();
    EXPECT_EQ(heard, (std::vector{SIGTERM, SIGHUP, SIGUSR2}));
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
