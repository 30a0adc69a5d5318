// Whether a worker's group still runs, without memory and without descriptors: a slot depends on
// it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../support/no_memory.hpp"
#include "spawn/group.hpp"
#include "start.hpp"

namespace ticketgate::spawn {
namespace {

struct EndedChild {
    EndedChild() {
        NotStarted why{};
        const Command command{.program = "/bin/true", .arguments = {"true"}, .environment = {}};
        pid = start(command, {}, why);
        EXPECT_GT(pid, 0);
        siginfo_t info{};
        EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    }
    ~EndedChild() { (void)::waitpid(pid, nullptr, 0); }
    EndedChild(const EndedChild&) = delete;
    EndedChild& operator=(const EndedChild&) = delete;

    pid_t pid = 0;
};

TEST(GroupWithoutMemory, IsLookedAtAllTheSame) {
    const EndedChild child;
    bool gone = false;
    {
        const NoMemory shortage;
        gone = kill_rest(child.pid);
    }
    EXPECT_TRUE(gone);
}

TEST(GroupWithoutDescriptors, MayStillRun) {
    const EndedChild child;
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool gone = kill_rest(child.pid);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_FALSE(gone);
    EXPECT_TRUE(kill_rest(child.pid));
}

}  // namespace
}  // namespace ticketgate::spawn
