// `check` looks at what the workers need of this machine.
#include "app/workers.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "config/load.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

class WorkersTest : public testing::Test {
 protected:
    // Returns the problems of the directory, one a line.
    static std::string told(const std::string& directory, const std::string& more = {}) {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"}]\n"
            "upstreams: {app: {workers: {command: [/bin/true]" +
                more + ",\n directory: " + directory +
                "}, fastcgi: {root: /tmp}}}\n"
                "routes: [{prefix: /, upstream: app, queue: q}]\n",
            "c.yaml", config::environment_of({}));
        if (!loaded.config) return "no config";
        std::string out;
        for (const auto& problem : worker_problems(*loaded.config))
            if (problem.path == "upstreams.app.workers.directory")
                out += config::print(problem) + "\n";
        return out;
    }
    // Returns the problems of a root, one a line.
    static std::string told_of_root(const std::string& root, const std::string& more = {},
                                    const std::string& workers = {}) {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"}]\n"
            "upstreams: {app: {workers: {command: [/bin/true]" +
                workers + "},\n fastcgi: {root: " + root + "}" + more +
                "}}\nroutes: [{prefix: /, upstream: app, queue: q}]\n",
            "c.yaml", config::environment_of({}));
        if (!loaded.config) return "no config";
        std::string out;
        for (const auto& problem : worker_problems(*loaded.config))
            if (problem.path == "upstreams.app.fastcgi.root") out += problem.message + "\n";
        return out;
    }
    test::TemporaryFolder folder_;
};

// In a container with SETUID and SETGID only: such workers would outlive ticketgate.
TEST_F(WorkersTest, RefusesAUserWhoseWorkersItCannotEnd) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const auto refused = [] {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"}]\n"
            "upstreams: {app: {workers: {command: [/bin/true], user: nobody}, fastcgi: {root: "
            "/}}}\n"
            "routes: [{prefix: /, upstream: app, queue: q}]\n",
            "c.yaml", config::environment_of({}));
        const auto problems = worker_problems(*loaded.config);
        return std::ranges::any_of(problems, [](const config::Problem& problem) {
            return problem.path == "upstreams.app.workers.user" &&
                   problem.message.find("CAP_KILL") != std::string::npos;
        });
    };
    EXPECT_FALSE(refused());
    const auto without_kill = [&] {
        __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
        std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
        (void)::syscall(SYS_capget, &head, sets.data());
        sets[CAP_TO_INDEX(CAP_KILL)].effective &= ~CAP_TO_MASK(CAP_KILL);
        if (::syscall(SYS_capset, &head, sets.data()) != 0) return 2;
        return refused() ? 0 : 1;
    };
    const pid_t child = ::fork();
    if (child == 0) ::_exit(without_kill());
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(WorkersTest, TakesADirectoryThatIsThere) {
    EXPECT_EQ(told(folder_.path()), "");
}

TEST_F(WorkersTest, NamesADirectoryThatIsNoFolder) {
    const auto missing = folder_.file("no/such"), text = folder_.write("text", "");
    EXPECT_EQ(told(missing), "c.yaml:3:2: upstreams.app.workers.directory: " + missing +
                                 ": No such file or directory; no worker can start there\n");
    EXPECT_EQ(told(text), "c.yaml:3:2: upstreams.app.workers.directory: " + text +
                              " is not a folder; no worker can start there\n");
}

TEST_F(WorkersTest, NamesAllThatThisMachineLacksForOnePool) {
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {workers: {command: [/no/such/program],\n"
        "  user: no-such-account,\n"
        "  directory: /no/such/folder}, fastcgi: {root: /no/such/root}}}\n"
        "routes: [{prefix: /, upstream: app, queue: q}]\n",
        "c.yaml", config::environment_of({}));
    ASSERT_TRUE(loaded.config);
    std::string told;
    for (const auto& problem : worker_problems(*loaded.config)) told += problem.path + "\n";
    EXPECT_EQ(told,
              "upstreams.app.workers.command\nupstreams.app.workers.user\n"
              "upstreams.app.workers.directory\nupstreams.app.fastcgi.root\n");
}

TEST_F(WorkersTest, NamesADirectoryThatTicketgateMayNotEnter) {
    constexpr uid_t nobody = 65534;  // root may enter all
    const bool root = ::geteuid() == 0;
    ASSERT_EQ(root ? ::seteuid(nobody) : ::chmod(folder_.path().c_str(), 0600), 0);
    const auto why = told(folder_.path());
    ASSERT_EQ(root ? ::seteuid(0) : ::chmod(folder_.path().c_str(), 0700), 0);
    EXPECT_NE(why.find("may not be entered by this user: Permission denied"), std::string::npos)
        << why;
}

TEST_F(WorkersTest, WarnsOfAFolderOnTheWayThatTheirUserMayNotEnter) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root starts workers as another user";
    const auto inner = folder_.file("inner");
    std::filesystem::create_directory(inner);
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0700), 0);
    EXPECT_EQ(told(inner, ", user: nobody"),
              "c.yaml:3:2: warning: upstreams.app.workers.directory: the mode of " +
                  folder_.path() +
                  " does not let the workers' user enter it; then no worker can start\n");
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0711), 0);
    EXPECT_EQ(told(inner, ", user: nobody"), "");
}

TEST_F(WorkersTest, NamesWhatKeepsScriptsFromRunning) {
    const auto root = folder_.path(), index = root + "/index.php";
    EXPECT_EQ(told_of_root(folder_.file("no")),
              folder_.file("no") + ": No such file or directory; no script can run\n");
    EXPECT_TRUE(told_of_root(root).starts_with(index + ": No such file or directory; paths that"));
    EXPECT_EQ(told_of_root(root, ", files: {root: /tmp, try: [path, script]}"), "");
    EXPECT_TRUE(told_of_root(root, ", files: {root: /tmp, try: [path, /app.php]}")
                    .starts_with(root + "/app.php: No such file"));
    EXPECT_EQ(told_of_root(folder_.write("index.php", "")),
              index + " is not a folder; no script can run\n");
    EXPECT_EQ(told_of_root(root), "");
}

TEST_F(WorkersTest, NamesARootAndAScriptThatTheirUserMayNotRead) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root starts workers as another user";
    const auto root = folder_.path(), index = folder_.write("index.php", "");
    ASSERT_EQ(::chmod(root.c_str(), 0700), 0);
    EXPECT_EQ(told_of_root(root, "", ", user: nobody"),
              "the mode of " + root +
                  " does not let the workers' user nobody enter it; then no script can run\n");
    ASSERT_EQ(::chmod(root.c_str(), 0711), 0);
    ASSERT_EQ(::chmod(index.c_str(), 0600), 0);
    EXPECT_EQ(told_of_root(root, "", ", user: nobody"),
              "the mode of " + index + " does not let the workers' user nobody read it\n");
    ASSERT_EQ(::chmod(index.c_str(), 0644), 0);
    EXPECT_EQ(told_of_root(root, "", ", user: nobody"), "");
}

}  // namespace
}  // namespace ticketgate
