#include "start.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

namespace ticketgate::spawn {
namespace {

Command shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"sh", "-c", script}, .environment = {"A=b"}};
}

// What a command writes, and its exit status.
struct Ran {
    std::string output;
    int status = 0;
};

Ran run(const Command& command) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    Descriptor reader(ends[0]), writer(ends[1]);
    NotStarted why{};
    const pid_t pid = start(command, {.output = writer.get()}, why);
    EXPECT_NE(pid, 0) << why.step << why.error;
    ::close(writer.release());
    Ran ran;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(reader.get(), buffer.data(), buffer.size())) > 0;)
        ran.output.append(buffer.data(), static_cast<std::size_t>(n));
    EXPECT_EQ(::waitpid(pid, &ran.status, 0), pid);
    return ran;
}

TEST(Child, HasOnlyWhatItWasGiven) {
    EXPECT_EQ(run(shell("env | grep -v ^PWD= | grep -v ^_=")).output, "A=b\n");
    const Descriptor open(::open("/dev/null", O_RDONLY));  // not closed on exec
    EXPECT_EQ(run(shell("cd /proc/self/fd && echo [0-2] && ls " + std::to_string(open.get()) +
                        " 2>/dev/null"))
                  .output,
              "0 1 2\n");
}

TEST(Child, HasNoSignalOfOursBlockedOrIgnored) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto status = run(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status")).output;
    std::signal(SIGPIPE, SIG_DFL);
    EXPECT_EQ(status, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Child, HasItsFolderMaskAndLimits) {
    Command command = shell("pwd; umask; ulimit -n");
    command.directory = "/usr";
    command.umask = 027;
    command.limits = {{RLIMIT_NOFILE, 77}};
    EXPECT_EQ(run(command).output, "/usr\n0027\n77\n");
}

TEST(Child, StartsWithALimitBelowTheDescriptorsThatAreOpenHere) {
    std::vector<Descriptor> open;
    for (int i = 0; i < 64; ++i) open.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Command command = shell("ulimit -n");
    command.limits = {{RLIMIT_NOFILE, 32}};
    EXPECT_EQ(run(command).output, "32\n");
}

TEST(Child, CannotGainPrivileges) {
    EXPECT_EQ(run(shell("grep NoNewPrivs /proc/self/status")).output, "NoNewPrivs:\t1\n");
}

TEST(Child, IsInAGroupOfItsOwn) {
    EXPECT_EQ(run(shell("test $(cut -d' ' -f5 /proc/$$/stat) = $$ && echo own")).output, "own\n");
}

TEST(Child, ThatCannotBeStartedIsTold) {
    Command command = shell("");
    NotStarted why{};
    command.program = "/nonexistent";
    EXPECT_EQ(start(command, {}, why), 0);
    EXPECT_EQ(why.error, ENOENT);
    EXPECT_STREQ(why.step, "execve");
    command = shell("");
    command.directory = "/nonexistent";
    EXPECT_EQ(start(command, {}, why), 0);
    EXPECT_STREQ(why.step, "chdir");
}

TEST(Program, IsFoundAsTheShellFindsIt) {
    EXPECT_EQ(find_program("sh", "/nonexistent:/usr/bin:/bin"), "/usr/bin/sh");
    EXPECT_EQ(find_program("/bin/sh", ""), "/bin/sh");
    EXPECT_EQ(find_program("tmp", "/"), "");  // a folder
    EXPECT_EQ(find_program("no-such-program", "/usr/bin"), "");
}

TEST(User, HasItsGroups) {
    const auto root = find_user("root", "");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->uid, 0u);
    EXPECT_FALSE(find_user("no-such-user", ""));
    EXPECT_FALSE(find_user("root", "no-such-group"));
}

}  // namespace
}  // namespace ticketgate::spawn
