#include "spawn/life.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

#include "dying.hpp"
#include "start.hpp"
#include "support/patience.hpp"

namespace ticketgate::spawn {
namespace {

pid_t start_shell(const std::string& script) {
    NotStarted why{};
    const pid_t pid = start(
        {.program = "/bin/sh", .arguments = {"sh", "-c", script}, .environment = {}}, {}, why);
    EXPECT_NE(pid, 0) << why.step << why.error;
    return pid;
}

void wait_for_end(pid_t pid) {
    siginfo_t info{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
}

TEST(Life, IsOverWhenASignalHasEndedTheProcess) {
    const pid_t pid = start_shell("trap '' TERM; kill -STOP $$; while :; do :; done");
    const Life life(pid);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    for (const int signal : {SIGTERM, SIGCONT}) {
        ::kill(pid, signal);
        EXPECT_FALSE(life.over()) << signal;
    }
    ::kill(pid, SIGKILL);
    wait_for_end(pid);
    EXPECT_TRUE(life.over());
    ::waitpid(pid, nullptr, 0);
    EXPECT_TRUE(life.over()) << "after it is reaped";
    EXPECT_TRUE(life.ends());
}

TEST(Life, EndsBeforeItIsOver) {
    Dying child;
    const Life life(child.pid);
    EXPECT_TRUE(test::eventually([&] { return life.ends(); }));
    EXPECT_FALSE(life.over());
    child.finish();
    EXPECT_TRUE(life.over());
    EXPECT_TRUE(life.ends());
}

TEST(Life, DoesNotEndWhileItsProcessRuns) {
    const pid_t pid = start_shell("kill -STOP $$");
    const Life life(pid);
    EXPECT_EQ(::waitpid(pid, nullptr, WUNTRACED), pid);
    EXPECT_FALSE(life.ends());
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    EXPECT_TRUE(life.ends());
}

TEST(Life, IsOverAfterAnExit) {
    const pid_t pid = start_shell("exit 3");
    const Life life(pid);
    EXPECT_TRUE(life.known());
    wait_for_end(pid);
    EXPECT_TRUE(life.over());
    ::waitpid(pid, nullptr, 0);
    EXPECT_TRUE(life.over());
}

TEST(Life, ThatIsNotKnownIsNotOver) {
    const Life life;
    EXPECT_FALSE(life.known());
    EXPECT_FALSE(life.over());
    EXPECT_FALSE(life.ends());
}

}  // namespace
}  // namespace ticketgate::spawn
