// `check` reports problems with the files that a start would open, and does not change them.
#include "app/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.hpp"
#include "noeq/state_file.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

struct FilesTest : testing::Test {
    std::vector<std::string> told(const std::string& text) {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"}]\n"
            "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
            "routes: [{prefix: /, upstream: app}]\n" +
                text,
            folder.file("c.yaml"), config::environment_of({}));
        for (const auto& problem : loaded.problems) EXPECT_TRUE(problem.warning) << print(problem);
        std::vector<std::string> lines;
        if (!loaded.config) return {"no config"};
        for (const auto& problem :
             file_problems(*loaded.config, folder.file("c.yaml"), loaded.text_files))
            lines.push_back(config::print(problem));
        return lines;
    }
    std::vector<std::string> state(const std::string& file) {
        return told("id_service: {address: \"127.0.0.1:4444\", worker: 1, state_file: \"" + file +
                    "\"}\n");
    }
    std::vector<std::string> log(const std::string& file) {
        return told("log: {access_file: \"" + file + "\"}\n");
    }
    void expect_one(const std::vector<std::string>& lines, const std::string& key,
                    const std::string& why) {
        ASSERT_EQ(lines.size(), 1u) << why;
        EXPECT_TRUE(lines[0].starts_with(folder.file("c.yaml") + ":4:")) << lines[0];
        EXPECT_NE(lines[0].find(key + ": "), std::string::npos) << lines[0];
        EXPECT_NE(lines[0].find(why), std::string::npos) << lines[0];
    }
    test::TemporaryFolder folder;
};

TEST_F(FilesTest, AcceptsMissingFilesAndDoesNotCreateThem) {
    EXPECT_TRUE(state("state").empty()) << "beside the config";
    EXPECT_TRUE(log(folder.file("access.log")).empty());
    EXPECT_TRUE(log("-").empty());
    EXPECT_NE(::access(folder.file("state").c_str(), F_OK), 0);
    EXPECT_NE(::access(folder.file("access.log").c_str(), F_OK), 0);
}

TEST_F(FilesTest, RefusesTheConfigAsItsAccessLog) {
    folder.write("c.yaml", "listen: []\n");
    expect_one(log(folder.file("c.yaml")), "log.access_file", "is the config file itself");
    const auto other = folder.file("other.yaml");
    ASSERT_EQ(::link(folder.file("c.yaml").c_str(), other.c_str()), 0);
    expect_one(log(other), "log.access_file", "is the config file itself");
}

TEST_F(FilesTest, RefusesAsItsAccessLogWhatTheConfigReads) {
    const auto page = folder.write("page.html", "full");
    const auto lines =
        told("log: {access_file: \"" + page +
             "\"}\nqueues: {q: {}}\ndefaults: {on_full: {page_file: \"" + page + "\"}}\n");
    expect_one(lines, "log.access_file", "is read as another file of this config");
    const auto state = folder.file("state");
    expect_one(told("log: {access_file: \"" + folder.path() +
                    "//state\"}\nid_service: {address: "
                    "\"127.0.0.1:4444\", worker: 1, state_file: \"" +
                    state + "\"}\n"),
               "log.access_file", "is read as another file of this config");
}

TEST_F(FilesTest, AcceptsFilesThatARunningProcessHasOpen) {
    noeq::StateFile running(folder.file("state"));
    EXPECT_TRUE(state("state").empty()) << "new";
    ASSERT_TRUE(running.reserve(1'795'186'942'000));
    EXPECT_TRUE(state("state").empty());
}

TEST_F(FilesTest, ReportsAMissingFolder) {
    for (const auto& file : {folder.file("no/such"), folder.write("text", "") + "/file"}) {
        expect_one(state(file), "id_service.state_file",
                   file.ends_with("such") ? "No such file or directory" : "Not a directory");
        expect_one(log(file), "log.access_file", folder.path());
    }
}

TEST_F(FilesTest, ReportsWhereNoSocketCanBeMade) {
    const auto socket = folder.file("no/such.sock");
    expect_one(told("admin: {address: \"unix:" + socket + "\"}\n"), "admin.address",
               "cannot make " + socket + ": ");
    expect_one(told("id_service: {address: \"unix:" + socket + "\", worker: 1}\n"),
               "id_service.address", "No such file or directory");
    EXPECT_TRUE(told("admin: {address: \"unix:" + folder.file("admin.sock") + "\"}\n").empty());
    for (const auto& taken : {folder.write("text", ""), folder.path()})
        expect_one(told("admin: {address: \"unix:" + taken + "\"}\n"), "admin.address",
                   taken + " exists and is not a socket");
    config::Config config;
    config.listen = {{.address = "unix:" + socket, .host = {}, .unix_path = socket}};
    const auto problems = file_problems(config, folder.file("c.yaml"), {});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].path, "listen[0].address");
}

TEST_F(FilesTest, ReportsAFolderInPlaceOfAFile) {
    expect_one(state("."), "id_service.state_file", "Is a directory");
    expect_one(log(folder.path()), "log.access_file", "Is a directory");
}

TEST_F(FilesTest, ReportsAFifoThatNoProcessReads) {
    const auto fifo = folder.file("pipe");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    expect_one(log(fifo), "log.access_file", "no process reads this FIFO");
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_TRUE(log(fifo).empty());
    ::close(reader);
}

TEST_F(FilesTest, ReportsAFolderThatTheUserCannotWriteTo) {
    constexpr uid_t nobody = 65534;  // root can write everywhere
    const bool root = ::geteuid() == 0;
    ASSERT_EQ(root ? ::seteuid(nobody) : ::chmod(folder.path().c_str(), 0500), 0);
    expect_one(state("state"), "id_service.state_file", "Permission denied");
    expect_one(log(folder.file("access.log")), "log.access_file", "Permission denied");
    ASSERT_EQ(root ? ::seteuid(0) : ::chmod(folder.path().c_str(), 0700), 0);
}

// Not even root can create a file here.
TEST_F(FilesTest, ReportsAFileSystemThatNobodyCanWriteTo) {
    expect_one(state("/proc/sys/kernel/no_such"), "id_service.state_file", "/proc/sys/kernel");
}

TEST_F(FilesTest, ReportsAStateFileWithOtherContents) {
    folder.write("state", "hello, I am a letter\n");
    expect_one(state("state"), "id_service.state_file", "is not a state file");
    EXPECT_EQ(folder.read("state"), "hello, I am a letter\n");
    expect_one(state("/dev/null"), "id_service.state_file", "not a regular file");
}

TEST_F(FilesTest, WarnsOfATokenFileThatEverybodyCanRead) {
    const auto file = folder.write("token", "sekrit\n");
    const auto warned = [&] {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"}]\n"
            "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
            "routes: [{prefix: /, upstream: app}]\n"
            "id_service: {address: \"127.0.0.1:4444\", state_file: s, token_file: token}\n",
            folder.file("c.yaml"), config::environment_of({}));
        EXPECT_TRUE(loaded.config);
        std::string all;
        for (const auto& problem : loaded.problems) all += config::print(problem);
        return all;
    };
    ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
    EXPECT_EQ(warned(), "");
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    EXPECT_EQ(warned(), folder.file("c.yaml") + ":4:68: warning: id_service.token_file: " + file +
                            ": every user of this machine can read the token; run chmod o-r");
}

}  // namespace
}  // namespace ticketgate
