#include "spawn/life.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

#include "spawn/child.hpp"

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

TEST(Life, IsOverAsSoonAsASignalEndsTheProcess) {
    for (const int signal : {SIGKILL, SIGTERM}) {
        for (int i = 0; i < 50; ++i) {
            const pid_t pid = start_shell("while :; do :; done");
            const Life life(pid);
            EXPECT_FALSE(life.over());
            ::kill(pid, signal);
            EXPECT_TRUE(life.over()) << signal;
            wait_for_end(pid);
            EXPECT_TRUE(life.over());
            ::waitpid(pid, nullptr, 0);
            EXPECT_TRUE(life.over());
        }
    }
}

TEST(Life, GoesOnAfterASignalThatIsIgnored) {
    const pid_t pid = start_shell("trap '' TERM; kill -STOP $$; while :; do :; done");
    const Life life(pid);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    ::kill(pid, SIGTERM);
    EXPECT_FALSE(life.over());
    ::kill(pid, SIGCONT);
    EXPECT_FALSE(life.over());
    ::kill(pid, SIGKILL);
    EXPECT_TRUE(life.over());
    ::waitpid(pid, nullptr, 0);
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
}

// proc(5); `threads`: field 20, `pending`: field 31, `code`: field 52.
std::string stat(const std::string& name, const std::string& flags, const std::string& threads,
                 const std::string& pending, const std::string& code = "0") {
    return "77 (" + name + ") S 1 77 77 0 -1 " + flags + " 117 0 0 0 0 0 0 0 20 0 " + threads +
           " 0 2883875 2605056 349 18446744073709551615 1 2 3 0 0 " + pending +
           " 0 6 0 0 0 0 17 0 0 0 0 0 4 5 6 7 8 9 10 11 " + code + "\n";
}

TEST(Life, IsReadFromTheFlagsAndThePendingSignals) {
    EXPECT_FALSE(tells_end(stat("a", "4194304", "1", "0")));
    EXPECT_TRUE(tells_end(stat("a", "4194304", "3", "256")));
    EXPECT_TRUE(tells_end(stat("a", "4194308", "1", "0"))) << "exits";
    EXPECT_TRUE(tells_end(stat("a", "4195328", "3", "0"))) << "was ended by a signal";
    EXPECT_FALSE(tells_end(stat("a", "4194308", "3", "0"))) << "other threads go on";
    EXPECT_FALSE(tells_end(stat("a", "4194304", "1", "16384"))) << "SIGTERM, with a handler";
    EXPECT_TRUE(tells_end(stat("a", "4194304", "1", "0", "9")));
    EXPECT_FALSE(tells_end(stat("a", "4194304", "1", "0", "19"))) << "stopped";
    EXPECT_FALSE(tells_end(stat("a) S 1 1 1 1 1 4 (b", "4194304", "1", "0")));
    EXPECT_TRUE(tells_end(stat("a b) (", "4194308", "1", "0")));
    for (const char* text : {"", "77", "77 (a)", "77 (a) S", "77 (a) Z 1 77 77 0 -1 4"})
        EXPECT_FALSE(tells_end(text)) << text;
}

}  // namespace
}  // namespace ticketgate::spawn
