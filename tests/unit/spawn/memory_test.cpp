// Whether a worker's group still runs, without memory and without descriptors: a slot depends on
// it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "../../support/no_memory.hpp"
#include "spawn/group.hpp"
#include "spawn/output.hpp"
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
        gone = kill_rest(child.pid) != Rest::may_run;
    }
    EXPECT_TRUE(gone);
}

TEST(GroupWithoutDescriptors, MayStillRun) {
    const EndedChild child;
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool gone = kill_rest(child.pid) != Rest::may_run;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_FALSE(gone);
    EXPECT_EQ(kill_rest(child.pid), Rest::over);
}

// A worker waits in a write for as long as nobody reads its pipe.
TEST(OutputWithoutMemory, LosesLinesAndIsReadOn) {
    boost::asio::io_context io;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const Descriptor writes(ends[1]);
    std::vector<std::string> told;
    bool short_of_memory = true;
    const auto output =
        Output::read(io, Descriptor(ends[0]), [&](std::string_view line, std::string_view) {
            if (std::exchange(short_of_memory, false)) throw std::bad_alloc();
            told.emplace_back(line);
        });
    for (const std::string_view line : {"lost\n", "told\n"}) {
        ASSERT_EQ(::write(writes.get(), line.data(), line.size()), 5);
        (void)io.run_one();
    }
    EXPECT_EQ(told, std::vector<std::string>{"told"});
    output->close();
}

}  // namespace
}  // namespace ticketgate::spawn
