// Logs without memory: lines may be lost, and are counted; nothing ends, no line joins another, and
// the true reason is told.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "../../support/no_memory.hpp"
#include "ends.hpp"
#include "log/log.hpp"
#include "log/log_writer.hpp"

namespace ticketgate {
namespace {

constexpr auto patience = 30s;

TEST(LogFileWithoutMemory, EndsTheLineThatItCannotFinish) {
    const Pipe pipe;
    LogFile file(pipe.writer);
    const std::string cut(10'000, 'x'), whole = "whole\n";
    const std::string long_line = cut + "\n";
    LogFile::Taken taken;
    {
        const NoMemory shortage;
        taken = file.write(long_line);
    }
    file.offer(whole);
    EXPECT_EQ(taken.bytes, long_line.size());
    EXPECT_EQ(taken.lost_lines, 1u);
    EXPECT_EQ(taken.error, ENOMEM);
    const auto text = pipe.read_all();
    EXPECT_TRUE(text.starts_with("xxx")) << text.size();
    EXPECT_TRUE(text.ends_with("x\nwhole\n")) << text.size();
}

TEST(LogWriterWithoutMemory, TellsTheReason) {
    const Pipe pipe;
    std::atomic<int> told_error{-1};
    std::atomic<std::uint64_t> told{0};
    LogWriter writer(std::make_shared<LogFile>(pipe.writer), LogWriter::default_max_buffer,
                     [&](const LogWriter::Loss& loss) {
                         told_error = loss.error;
                         told = loss.lines;
                         return true;
                     });
    writer.offer("first\n");
    ASSERT_TRUE(writer.drain(patience));
    const std::string large = std::string(100'000, 'x') + "\n";
    {
        const NoMemory shortage;
        writer.offer(large);
    }
    writer.lose(2);
    EXPECT_EQ(writer.dropped(), 3u);
    writer.offer("next\n");
    writer.finish(patience);
    EXPECT_EQ(told, 3u);
    EXPECT_EQ(told_error, ENOMEM);
    EXPECT_EQ(pipe.read_all(), "first\nnext\n");
}

TEST(LogWithoutMemory, NamesTheReason) {
    const Pipe pipe;
    Log log(Level::info, std::make_shared<LogFile>(pipe.writer));
    log.info("first");
    ASSERT_TRUE(log.drain(patience));
    const std::string large(100'000, 'x');
    {
        const NoMemory shortage;
        log.info(large);
    }
    EXPECT_EQ(log.dropped(), 1u);
    log.info("next");
    std::string text;
    while (!log.drain(1ms) || text.find("lost lines") == text.npos) text += pipe.read_all();
    EXPECT_NE(text.find("warn this log lost lines lines=1 why=\"Cannot allocate memory\"\n"),
              text.npos)
        << text;
}

}  // namespace
}  // namespace ticketgate
