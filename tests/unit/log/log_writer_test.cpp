#include "log/log_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "ends.hpp"

namespace ticketgate {
namespace {

constexpr auto patience = 30s;

std::shared_ptr<LogFile> file_of(const Ends& ends) {
    return std::make_shared<LogFile>(ends.writer);
}

TEST(LogWriter, WritesWhatItIsOffered) {
    Pipe pipe;
    LogWriter writer(file_of(pipe));
    for (int i = 0; i < 10; ++i) writer.offer(line('a', i));
    ASSERT_TRUE(writer.drain(patience));
    EXPECT_EQ(check_order(pipe.read_all()), 10);
    EXPECT_EQ(writer.dropped(), 0u);
}

// offer() never blocks, the memory is bounded, and each line is written or counted as dropped.
TEST(LogWriter, DropsLinesOfASlowReaderAndReportsThemLater) {
    for (const bool socket : {false, true}) {
        Pipe pipe;
        SocketPair pair;
        const Ends& ends = socket ? static_cast<Ends&>(pair) : pipe;
        fill(ends);  // nothing is written, so nothing is reported, before it is read
        std::atomic<std::uint64_t> told{0};
        std::atomic<int> told_error{-1};
        LogWriter writer(file_of(ends), 100'000, [&](const LogWriter::Loss& loss) {
            if (loss.waits_now) return false;  // as the log that lost them
            told = loss.lines;
            told_error = loss.error;
            return true;
        });
        for (int i = 0; i < 20'000; ++i) writer.offer(line('a', i, 99));
        EXPECT_GT(writer.dropped(), 10'000u);
        EXPECT_EQ(told, 0u);
        std::string text;
        while (!writer.drain(1ms)) text += ends.read_all();
        text += ends.read_all();
        text.erase(0, text.find_first_not_of('x'));
        EXPECT_EQ(check_order(text) + static_cast<int>(writer.dropped()), 20'000);
        EXPECT_EQ(told_error, 0);
        EXPECT_GT(told, 0u);
    }
}

// With stdout and stderr on one pipe, another writer may fill the room before this one writes. Here
// dup2() swaps the pipe in after the file took its descriptor for one that never blocks.
TEST(LogWriter, DoesNotBlockItsCallersWhenAWriteBlocks) {
    ASSERT_NE(signal(SIGPIPE, SIG_IGN), SIG_ERR);
    Pipe pipe;
    fill(pipe);
    const int descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const auto file = std::make_shared<LogFile>(descriptor);
    ASSERT_EQ(dup2(pipe.writer, descriptor), descriptor);
    {
        LogWriter writer(file, 10'000);
        for (int i = 0; i < 1000; ++i) writer.offer(line('a', i, 99));
        EXPECT_GT(writer.dropped(), 800u);
        writer.finish(10ms);
        EXPECT_GT(writer.dropped(), 800u);
    }
    pipe.close_reader();  // ends the blocked write and its thread
    while (file.use_count() != 1) std::this_thread::yield();
    close(descriptor);
}

TEST(LogWriter, KeepsWholeLinesThatFit) {
    Pipe pipe;
    fill(pipe);
    LogWriter writer(file_of(pipe), 100);
    writer.offer(line('a', 0, 40) + line('a', 1, 40) + line('a', 2, 40));
    EXPECT_EQ(writer.dropped(), 1u);
    writer.offer(line('a', 3, 200));
    EXPECT_EQ(writer.dropped(), 2u);
    writer.finish(1ms);
}

TEST(LogWriter, ReportsWhyItsFileRefusesLines) {
    // Also in a process that SIGPIPE would end, as here.
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    for (const bool socket : {false, true}) {
        Pipe pipe;
        SocketPair pair;
        Ends& ends = socket ? static_cast<Ends&>(pair) : pipe;
        std::atomic<int> told_error{-1};
        LogWriter writer(file_of(ends), 10'000, [&](const LogWriter::Loss& loss) {
            told_error = loss.error;
            return true;
        });
        ends.close_reader();
        for (int i = 0; i < 3; ++i) writer.offer(line('a', i));
        writer.finish(patience);
        EXPECT_EQ(writer.dropped(), 3u);
        EXPECT_EQ(told_error, EPIPE);
    }
}

LogWriter::Lost added_to(std::atomic<std::uint64_t>& told) {
    return [&told](const LogWriter::Loss& loss) {
        told += loss.lines;
        return true;
    };
}

// The first lost line is told at once; the others at most ten seconds later, and at the end.
TEST(LogWriter, TellsAllItsLossesAtItsEnd) {
    Pipe pipe;
    std::atomic<std::uint64_t> told{0};
    LogWriter writer(file_of(pipe), 10'000, added_to(told));
    pipe.close_reader();
    for (int i = 0; i < 3; ++i) {
        writer.offer(line('a', i));
        ASSERT_TRUE(writer.drain(patience));
    }
    writer.finish(patience);
    EXPECT_EQ(writer.dropped(), 3u);
    EXPECT_EQ(told, 3u);
}

TEST(LogWriter, TellsItsLossesWhileItsReaderStandsStillAndAtItsEnd) {
    Pipe pipe;
    std::atomic<std::uint64_t> told{0};
    LogWriter writer(file_of(pipe), 10'000, added_to(told));
    const auto fill = [&] {
        for (int i = 0; i < 20'000; ++i) writer.offer(line('a', i, 99));
    };
    fill();
    while (told == 0) std::this_thread::yield();
    const std::uint64_t before = told;
    fill();
    writer.finish(1ms);
    EXPECT_GT(told, before);
    EXPECT_LE(told, writer.dropped()) << "the thread may still have its batch";
}

TEST(LogWriter, FinishesALongLineWithoutAnotherOne) {
    Pipe pipe;
    LogWriter writer(file_of(pipe));
    writer.offer(line('a', 0, 100'000));
    std::string text;
    while (!writer.drain(1ms)) text += pipe.read_all();
    text += pipe.read_all();
    EXPECT_EQ(text, line('a', 0, 100'000));
}

TEST(LogWriter, DoesNotTearLinesOfThreads) {
    Pipe pipe;
    LogWriter writer(file_of(pipe), 200'000);
    std::string text;
    std::atomic<bool> done{false};
    std::jthread reader([&] {
        while (!done) text += pipe.read_all();
    });
    {
        std::vector<std::jthread> writers;
        for (int t = 0; t < 3; ++t)
            writers.emplace_back([&, t] {
                LineSink sink(writer);
                for (int i = 0; i < 3'000; ++i) {
                    // Some lines are longer than a pipe takes at once.
                    sink.append(line(static_cast<char>('a' + t), i, i % 50 == 0 ? 9'000 : 120));
                    if (i % 7 == 0) sink.flush();
                }
            });
    }
    EXPECT_TRUE(writer.drain(patience));
    done = true;
    reader.join();
    text += pipe.read_all();
    EXPECT_EQ(check_order(text) + static_cast<int>(writer.dropped()), 9'000);
}

}  // namespace
}  // namespace ticketgate
