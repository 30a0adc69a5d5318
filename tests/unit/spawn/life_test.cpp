#include "spawn/life.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
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

// As statm of its first thread shows it.
bool has_no_memory(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::string size;
    return file >> size && size == "0";
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
    wait_for_the_end_of(pid);
    EXPECT_TRUE(life.over());
    ::waitpid(pid, nullptr, 0);
    EXPECT_TRUE(life.over()) << "after it is reaped";
    EXPECT_TRUE(life.ends());
}

TEST(Life, DoesNotEndWithItsFirstThread) {
    FirstThreadEnded child;
    const Life life(child.pid);
    EXPECT_TRUE(test::eventually([&] { return has_no_memory(child.pid); }));
    EXPECT_FALSE(life.ends());
    child.finish();
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

// Starts a child in a new namespace of processes that still sees the machine's /proc, and returns
// whether Life takes it for one that ends. The kernel ends the child with the first process there.
int tells_an_end_in_another_namespace() {
    if (::unshare(CLONE_NEWPID) != 0) return not_allowed;
    const pid_t first = ::fork();
    if (first == 0) {
        const pid_t child = ::fork();
        while (child == 0) ::pause();
        ::_exit(Life(child).ends() ? 1 : 0);
    }
    int status = 0;
    (void)::waitpid(first, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

// There a thread of the kernel may have its number.
TEST(Life, IsThatOfItsProcessWhereProcHasOtherNumbers) {
    const int result = in_a_child(tells_an_end_in_another_namespace);
    if (result == not_allowed) GTEST_SKIP() << "needs root";
    EXPECT_EQ(result, 0);
}

TEST(Life, IsOverAfterAnExit) {
    const pid_t pid = start_shell("exit 3");
    const Life life(pid);
    EXPECT_TRUE(life.known());
    wait_for_the_end_of(pid);
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
