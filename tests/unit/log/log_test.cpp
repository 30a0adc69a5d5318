#include "log/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <vector>

#include "log/line_sink.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

class LogTest : public testing::Test {
 protected:
    LogTest() { EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
    ~LogTest() override {
        close(ends_[0]);
        close(ends_[1]);
    }

    std::shared_ptr<LogFile> file() { return std::make_shared<LogFile>(ends_[1]); }

    std::string written(const Log& log) {
        EXPECT_TRUE(log.drain(30s));
        return read_all();
    }
    std::string read_all() const {
        std::array<char, 65536> text;
        fcntl(ends_[0], F_SETFL, O_NONBLOCK);
        const auto got = read(ends_[0], text.data(), text.size());
        return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    }
    // Returns the log without its times.
    std::string said(const Log& log) {
        const auto line = written(log);
        return line.size() > 28 ? line.substr(28) : line;
    }

    std::array<int, 2> ends_{};
};

TEST_F(LogTest, ALineHasTimeLevelMessageAndFields) {
    Log log(Level::info, file());
    log.warn("the backend refused the connection",
             {{"queue", "cart"},
              {"request_id", *ids::Id::from("d1vcj53u15e1dtu5imo0")},
              {"attempts", 3},
              {"bytes", std::size_t{7}},
              {"ratio", 0.5},
              {"kept", true}});
    const auto line = written(log);
    auto shape = line.substr(0, 28);
    for (auto& c : shape)
        if (c >= '0' && c <= '9') c = '0';
    EXPECT_EQ(shape, "0000-00-00T00:00:00.000000Z ");
    EXPECT_EQ(line.substr(28),
              "warn the backend refused the connection queue=cart request_id=d1vcj53u15e1dtu5imo0 "
              "attempts=3 bytes=7 ratio=0.5 kept=true\n");
}

TEST_F(LogTest, BeginsWithTheFirstLinesAsTheyAre) {
    Log log(Level::error, file(), Log::usual_buffer, {"c.yaml:3: warning: x", "c.yaml:4: warning"});
    log.error("then");
    const auto text = written(log),
               first = std::string("c.yaml:3: warning: x\nc.yaml:4: warning\n");
    EXPECT_TRUE(text.starts_with(first)) << text;
    EXPECT_TRUE(text.ends_with("Z error then\n")) << text;
}

TEST_F(LogTest, WritesFromItsLevelUpwards) {
    Log log(Level::warn, file());
    log.debug("no");
    log.info("no");
    EXPECT_EQ(written(log), "");
    log.error("yes");
    EXPECT_EQ(said(log), "error yes\n");
    log.level(Level::debug);
    EXPECT_EQ(log.level(), Level::debug);
    log.debug("now");
    EXPECT_EQ(said(log), "debug now\n");
    log.level(Level::off);
    log.error("no");
    EXPECT_EQ(written(log), "");
    EXPECT_FALSE(log.enabled(Level::error));
}

TEST_F(LogTest, AClientCannotForgeALine) {
    Log log(Level::info, file());
    log.info("bad target\nerror x", {{"target", "/\n\x1b[31m\" a=b"}, {"empty", ""}});
    EXPECT_EQ(said(log),
              "info bad target\\nerror x target=\"/\\n\\u001b[31m\\\" a=b\" empty=\"\"\n");
}

TEST_F(LogTest, PercentAndBracesAreText) {
    Log log(Level::info, file());
    log.info("100 % {} {0}", {{"key", "{}%s"}});
    EXPECT_EQ(said(log), "info 100 % {} {0} key={}%s\n");
}

TEST_F(LogTest, DoesNotWaitForAReader) {
    Log log(Level::info, file(), 10'000);
    for (int i = 0; i < 2000; ++i) log.info(std::string(100, 'x'));
    EXPECT_GT(log.dropped(), 0u);
    std::string text;
    while (!log.drain(1ms) || text.find("lost lines") == text.npos) text += read_all();
    EXPECT_EQ(text.find("info"), 28u);
    EXPECT_NE(text.find("warn this log lost lines lines="), text.npos);
    EXPECT_NE(text.find(" why=\"its reader is too slow\"\n"), text.npos);
}

TEST_F(LogTest, TellsTheLinesThatAFullDiskTookWhenThereIsRoomAgain) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    const test::TemporaryFolder folder;
    const auto path = folder.file("ticketgate.log");
    std::filesystem::create_symlink("/dev/full", path);
    const auto on_disk = std::make_shared<LogFile>(path);
    Log log(Level::info, on_disk);
    log.info("first");
    ASSERT_TRUE(log.drain(30s));
    log.info("second");
    ASSERT_TRUE(log.drain(30s));
    std::filesystem::remove(path);
    ASSERT_FALSE(on_disk->reopen());
    log.info("third");
    std::string text;
    while (!log.drain(1ms) || text.find("lost lines") == text.npos)
        text = folder.read("ticketgate.log");
    EXPECT_NE(text.find("warn this log lost lines lines=2 why=\"No space left on device\"\n"),
              text.npos)
        << text;
}

TEST_F(LogTest, ThreadsDoNotMixTheirLines) {
    Log log(Level::info, file());
    {
        std::vector<std::jthread> threads;
        for (const char c : {'a', 'b', 'c'})
            threads.emplace_back([&log, c] {
                for (int i = 0; i < 50; ++i) log.info(std::string(60, c));
            });
        for (int i = 0; i < 50; ++i) log.level(i % 2 ? Level::info : Level::debug);
    }
    const auto text = written(log);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 150);
    for (std::size_t start = 0; start < text.size();) {
        const auto end = text.find('\n', start);
        ASSERT_EQ(end - start, 28u + 5 + 60);
        EXPECT_EQ(text.find_first_not_of(text[start + 33], start + 33), end);
        start = end + 1;
    }
}

}  // namespace
}  // namespace ticketgate
