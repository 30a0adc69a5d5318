#include "spawn/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dying.hpp"
#include "support/patience.hpp"

namespace ticketgate::spawn {
namespace {

constexpr const char* behind = " 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 ";

Stat stat(const std::string& begin, int threads) {
    return read_stat(begin + behind + std::to_string(threads) + " 0 1234 5678\n");
}

TEST(Group, HoldsItsProcessesThatRun) {
    EXPECT_TRUE(runs_in(stat("42 (sh) S 1 7", 1), 7));
    EXPECT_TRUE(runs_in(stat("42 (sh) R 1 7", 3), 7));
    EXPECT_TRUE(runs_in(stat("42 (a) Z 1 8) D 1 7", 1), 7)) << "a name may hold anything";
    EXPECT_FALSE(runs_in(stat("42 (sh) S 1 8", 1), 7));
    EXPECT_FALSE(runs_in(stat("42 (sh) S 7 8", 1), 7)) << "the parent's number is not the group's";
}

TEST(Group, HoldsNoProcessThatHasEnded) {
    EXPECT_FALSE(runs_in(stat("42 (sh) Z 1 7", 1), 7));
    EXPECT_FALSE(runs_in(stat("42 (sh) X 1 7", 0), 7));
}

TEST(Group, IsNotReadFromACutLine) {
    for (const char* line :
         {"", "42", "42 (sh)", "42 (sh) ", "42 (sh) S", "42 (sh) S 1", "42 (sh) Z 1 7"})
        EXPECT_FALSE(runs_in(read_stat(line), 7)) << line;
}

std::string stat_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Group, HoldsAProcessWhoseFirstThreadHasEnded) {
    FirstThreadEnded child;
    const pid_t group = ::getpgid(child.pid);
    EXPECT_TRUE(
        test::eventually([&] { return stat_of(child.pid).find(") Z ") != std::string::npos; }));
    EXPECT_TRUE(runs_in(read_stat(stat_of(child.pid)), group));
    child.finish();
    EXPECT_FALSE(runs_in(read_stat(stat_of(child.pid)), group));
}

// As the first process of a container sees its orphans behind a worker that is not reaped.
TEST(Group, OfAChildThatIsNotReapedHidesNoOtherOne) {
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
        children.push_back(::fork());
        if (children.back() == 0) ::_exit(0);
        wait_for_the_end_of(children.back());
    }
    std::vector<pid_t> told;
    each_ended([&](pid_t child) { told.push_back(child); });
    std::ranges::sort(told);
    std::ranges::sort(children);
    EXPECT_EQ(told, children);
    for (const pid_t child : children) EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(Group, IsOverWhenNothingOfItRuns) {
    const pid_t leader = ::fork();
    if (leader == 0) {
        ::setpgid(0, 0);
        if (::fork() == 0)
            for (;;) ::pause();
        ::_exit(0);
    }
    wait_for_the_end_of(leader);
    EXPECT_TRUE(test::eventually([&] { return kill_rest(leader) == Rest::over; }));
    EXPECT_EQ(::waitpid(leader, nullptr, 0), leader);
}

// Starts a child in a new namespace of processes that still sees the machine's /proc, with the
// number that our group has there. Returns whether something of the child's group seems to be left.
int leaves_something_in_another_namespace() {
    const pid_t taken = ::getpgrp();
    if (::unshare(CLONE_NEWPID) != 0) return not_allowed;
    const pid_t first = ::fork();
    if (first == 0) {
        if (!(std::ofstream("/proc/sys/kernel/ns_last_pid") << taken - 1 << std::flush))
            ::_exit(not_allowed);
        const pid_t child = ::fork();
        if (child == 0) ::_exit(::setpgid(0, 0));
        wait_for_the_end_of(child);
        const bool over = kill_rest(child) != Rest::may_run;
        ::_exit(child != taken ? not_allowed : over ? 0 : 1);
    }
    int status = 0;
    (void)::waitpid(first, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

TEST(Group, IsItsOwnWhereProcHasOtherNumbers) {
    const int result = in_a_child(leaves_something_in_another_namespace);
    if (result == not_allowed) GTEST_SKIP() << "needs root";
    EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace ticketgate::spawn
