#include "log/line_sink.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "ends.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

using Folder = test::TemporaryFolder;

TEST(LineSink, KeepsOrderAndHandsOnWhenFlushed) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    for (int i = 0; i < 10; ++i) sink.append(line('a', i));
    EXPECT_EQ(pipe.read_all(), "");
    sink.flush();
    EXPECT_EQ(check_order(pipe.read_all()), 10);
    EXPECT_EQ(sink.buffered(), 0u);
}

TEST(LineSink, HandsOnByItselfWhenABatchIsFull) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    for (int i = 0; i < 200; ++i) sink.append(line('a', i, 100));
    EXPECT_GT(lines(pipe.read_all()), 100u);
}

TEST(LogFile, WritesALineLongerThanAPipeTakesAtOnce) {
    Pipe pipe;
    LogFile file(pipe.writer);
    const auto first = file.write(line('a', 0, 200'000));
    EXPECT_EQ(first.bytes, 200'001u) << "the rest is the file's to finish";
    EXPECT_EQ(file.write(line('b', 0, 10)).bytes, 0u);
    std::string text = pipe.read_all();
    for (int round = 0; file.unfinished() && round < 10; ++round) {
        (void)file.write({});
        text += pipe.read_all();
    }
    file.offer(line('b', 0, 10));
    text += pipe.read_all();
    EXPECT_EQ(text, line('a', 0, 200'000) + line('b', 0, 10));
}

TEST(LogFile, WritesAFileAndReopensIt) {
    const Folder folder;
    const auto name = folder.file("access.log");
    LogFile file(name);
    ASSERT_FALSE(file.opened());
    file.offer("one\n");
    std::filesystem::rename(name, name + ".1");
    file.offer("two\n");
    ASSERT_FALSE(file.reopen());
    file.offer("three\n");
    EXPECT_EQ(folder.read("access.log.1"), "one\ntwo\n");
    EXPECT_EQ(folder.read("access.log"), "three\n");
}

TEST(LogFile, KeepsTheOldFileIfTheNewOneCannotBeOpened) {
    const Folder folder;
    std::filesystem::create_directory(folder.file("logs"));
    LogFile file(folder.file("logs/a"));
    std::filesystem::rename(folder.file("logs"), folder.file("old"));
    EXPECT_TRUE(file.reopen());
    file.offer("still here\n");
    EXPECT_EQ(folder.read("old/a"), "still here\n");
}

TEST(LogFile, WithoutAFileLinesAreCountedAsLost) {
    const Folder folder;
    LogFile file(folder.file("nowhere/a"));
    EXPECT_TRUE(file.opened());
    const auto taken = file.write("one\n");
    EXPECT_EQ(taken.lost_lines, 1u);
    EXPECT_EQ(taken.error, EBADF);
}

TEST(LogFile, AFullDiskLosesLinesAndReportsIt) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    LogFile file("/dev/full");
    const auto taken = file.write("one\ntwo\n");
    EXPECT_EQ(taken.lost_lines, 2u);
    EXPECT_EQ(taken.error, ENOSPC);
}

// The disk may become full in the middle of a line.
TEST(LogFile, NamesTheReasonOfALineThatWasCut) {
    ASSERT_NE(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    const Folder folder;
    LogFile file(folder.file("access.log"));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{6, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    (void)file.write("one\ntwo\n");
    const auto taken = file.write("three\n");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(folder.read("access.log"), "one\ntw");
    EXPECT_EQ(taken.lost_lines, 2u);
    EXPECT_EQ(taken.error, EFBIG);
}

TEST(LogFile, DevNullTakesEveryLine) {
    LogFile file("/dev/null");
    for (int i = 0; i < 50'000; ++i) EXPECT_EQ(file.write(line('a', i, 99)).lost_lines, 0u);
}

TEST(LogFile, ANamedPipeWithoutReaderDoesNotHoldUpTheStart) {
    const Folder folder;
    const auto name = folder.file("fifo");
    ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
    LogFile file(name);
    EXPECT_TRUE(file.opened());
}

}  // namespace
}  // namespace ticketgate
