#include "log/line_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace ticketgate {
namespace {

struct Ends {
    int reader = -1, writer = -1;
    ~Ends() {
        close_reader();
        close(writer);
    }
    void close_reader() {
        if (reader >= 0) close(reader);
        reader = -1;
    }
    // All that is there now.
    std::string read_all() const {
        std::string text;
        std::array<char, 4096> piece;
        fcntl(reader, F_SETFL, O_NONBLOCK);
        for (;;) {
            const auto got = read(reader, piece.data(), piece.size());
            if (got <= 0) return text;
            text.append(piece.data(), static_cast<std::size_t>(got));
        }
    }
};

struct Pipe : Ends {
    Pipe() {
        int fds[2];
        EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
        reader = fds[0];
        writer = fds[1];
    }
};

struct SocketPair : Ends {
    SocketPair() {
        int fds[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        reader = fds[0];
        writer = fds[1];
    }
};

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string form = (std::filesystem::temp_directory_path() / "line_sink.XXXXXX").string();
        path = mkdtemp(form.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string read(const char* name) const {
        std::ifstream in(path / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

std::string line(char thread, int number, std::size_t size = 0) {
    auto text = std::string(1, thread) + " " + std::to_string(number) + " ";
    if (text.size() < size) text.append(size - text.size(), thread);
    return text + "\n";
}

std::size_t lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Every line is `x N xxxx…` of one thread, and each thread's N rise. The number of lines.
int check_order(const std::string& text) {
    std::array<int, 256> last;
    last.fill(-1);
    int count = 0;
    for (std::size_t start = 0; start < text.size(); ++count) {
        const auto end = text.find('\n', start);
        EXPECT_NE(end, std::string::npos) << "an unfinished line";
        const auto words = text.substr(start, end - start);
        const char thread = words[0];
        const int number = std::atoi(words.c_str() + 2);
        const auto filler = words.find(' ', 2) + 1;
        EXPECT_EQ(words.find_first_not_of(thread, filler), std::string::npos) << "torn: " << words;
        EXPECT_GT(number, last[static_cast<unsigned char>(thread)]);
        last[static_cast<unsigned char>(thread)] = number;
        start = end + 1;
    }
    return count;
}

TEST(LineSink, KeepsOrderAndWritesOnFlush) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    for (int i = 0; i < 10; ++i) sink.append(line('a', i));
    EXPECT_EQ(pipe.read_all(), "");
    sink.flush();
    EXPECT_EQ(check_order(pipe.read_all()), 10);
    EXPECT_EQ(sink.buffered(), 0u);
}

TEST(LineSink, WritesByItselfWhenABatchIsFull) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    for (int i = 0; i < 200; ++i) sink.append(line('a', i, 100));
    EXPECT_GT(lines(pipe.read_all()), 100u);
}

TEST(LineSink, NobodyReadsAPipe) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file, 100'000);
    for (int i = 0; i < 20'000; ++i) sink.append(line('a', i, 99));
    sink.flush();
    EXPECT_LE(sink.buffered(), 100'000u);
    EXPECT_GT(sink.dropped(), 18'000u);
    // When the reader is back it sees whole lines in order, and every line is there or counted.
    std::string text;
    for (int round = 0; round < 10; ++round) {
        text += pipe.read_all();
        sink.flush();
    }
    text += pipe.read_all();
    EXPECT_EQ(check_order(text) + static_cast<int>(sink.dropped()), 20'000);
    EXPECT_EQ(sink.buffered(), 0u);
}

TEST(LineSink, ASmallBufferStillWorks) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file, 50);
    for (int i = 0; i < 5; ++i) sink.append(line('a', i, 40));
    sink.append(line('a', 5, 60));
    EXPECT_EQ(sink.dropped(), 5u);
    sink.flush();
    EXPECT_EQ(check_order(pipe.read_all()), 1);
}

TEST(LineSink, TheReaderWentAway) {
    // Even where SIGPIPE would end the process, as here.
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    for (const bool socket : {false, true}) {
        Pipe pipe;
        SocketPair pair;
        Ends& ends = socket ? static_cast<Ends&>(pair) : pipe;
        LogFile file(ends.writer);
        LineSink sink(file);
        ends.close_reader();
        for (int i = 0; i < 3; ++i) sink.append(line('a', i));
        sink.flush();
        EXPECT_EQ(sink.dropped(), 3u);
        EXPECT_EQ(sink.buffered(), 0u);
    }
}

TEST(LineSink, NobodyReadsASocket) {
    SocketPair pair;
    LogFile file(pair.writer);
    LineSink sink(file, 100'000);
    for (int i = 0; i < 20'000; ++i) sink.append(line('a', i, 99));
    EXPECT_GT(sink.dropped(), 0u);
    std::string text;
    for (int round = 0; round < 50; ++round) {
        text += pair.read_all();
        sink.flush();
    }
    text += pair.read_all();
    EXPECT_EQ(check_order(text) + static_cast<int>(sink.dropped()), 20'000);
}

TEST(LineSink, ANonBlockingPipeToo) {
    Pipe pipe;
    fcntl(pipe.writer, F_SETFL, O_NONBLOCK);
    LogFile file(pipe.writer);
    LineSink sink(file, 10'000);
    for (int i = 0; i < 5'000; ++i) sink.append(line('a', i, 99));
    std::string text = pipe.read_all();
    sink.flush();
    text += pipe.read_all();
    EXPECT_EQ(check_order(text) + static_cast<int>(sink.dropped()), 5'000);
}

TEST(LineSink, ALineLongerThanAPipeTakesAtOnce) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink a(file), b(file);
    a.append(line('a', 0, 200'000));
    a.flush();  // the pipe is full in the middle of the line
    b.append(line('b', 0, 10));
    b.flush();
    std::string text;
    for (int round = 0; round < 10; ++round) {
        text += pipe.read_all();
        b.flush();
        a.flush();
    }
    text += pipe.read_all();
    EXPECT_EQ(text, line('a', 0, 200'000) + line('b', 0, 10));
    EXPECT_EQ(a.dropped() + b.dropped(), 0u);
}

TEST(LineSink, TheRestOfALongLineNeedsNoNextLine) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    sink.append(line('a', 0, 100'000));
    sink.flush();
    EXPECT_TRUE(file.unfinished());
    auto text = pipe.read_all();
    sink.flush();
    text += pipe.read_all();
    EXPECT_EQ(text, line('a', 0, 100'000));
    EXPECT_FALSE(file.unfinished());
}

TEST(LineSink, ThreadsDoNotTearLines) {
    Pipe pipe;
    LogFile file(pipe.writer);
    std::string text;
    std::atomic<bool> done{false};
    std::jthread reader([&] {
        while (!done) text += pipe.read_all();
    });
    std::array<std::uint64_t, 3> dropped{};
    {
        std::vector<std::jthread> writers;
        for (int t = 0; t < 3; ++t)
            writers.emplace_back([&, t] {
                LineSink sink(file, 200'000);
                for (int i = 0; i < 3'000; ++i) {
                    // Some are longer than a pipe's whole.
                    sink.append(line(static_cast<char>('a' + t), i, i % 50 == 0 ? 9'000 : 120));
                    if (i % 7 == 0) sink.flush();
                }
                sink.finish(30s);
                dropped[static_cast<std::size_t>(t)] = sink.dropped();
            });
    }
    done = true;
    reader.join();
    text += pipe.read_all();
    EXPECT_EQ(check_order(text) + static_cast<int>(dropped[0] + dropped[1] + dropped[2]), 9'000);
}

TEST(LineSink, FinishGivesUpInTime) {
    Pipe pipe;
    LogFile file(pipe.writer);
    LineSink sink(file);
    for (int i = 0; i < 2'000; ++i) sink.append(line('a', i, 99));
    const auto start = monotonic_now();
    sink.finish(50ms);
    EXPECT_LT(monotonic_now() - start, 5s);
    EXPECT_EQ(lines(pipe.read_all()) + sink.dropped(), 2'000u);
}

TEST(LogFile, WritesAFileAndReopensIt) {
    const Folder folder;
    const auto name = (folder.path / "access.log").string();
    LogFile file(name);
    ASSERT_FALSE(file.opened());
    LineSink sink(file);
    sink.append("one\n");
    sink.flush();
    std::filesystem::rename(name, name + ".1");
    sink.append("two\n");
    sink.flush();
    ASSERT_FALSE(file.reopen());
    sink.append("three\n");
    sink.flush();
    EXPECT_EQ(folder.read("access.log.1"), "one\ntwo\n");
    EXPECT_EQ(folder.read("access.log"), "three\n");
}

TEST(LogFile, KeepsTheOldFileWhenTheNewOneCannotBe) {
    const Folder folder;
    std::filesystem::create_directory(folder.path / "logs");
    LogFile file((folder.path / "logs" / "a").string());
    std::filesystem::rename(folder.path / "logs", folder.path / "old");
    EXPECT_TRUE(file.reopen());
    LineSink sink(file);
    sink.append("still here\n");
    sink.flush();
    EXPECT_EQ(folder.read("old/a"), "still here\n");
}

TEST(LogFile, WithoutAFileLinesAreCountedAsLost) {
    const Folder folder;
    LogFile file((folder.path / "nowhere" / "a").string());
    EXPECT_TRUE(file.opened());
    LineSink sink(file);
    sink.append("one\n");
    sink.flush();
    EXPECT_EQ(sink.dropped(), 1u);
}

TEST(LogFile, AFullDiskLosesLinesAndSaysSo) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    LogFile file("/dev/full");
    LineSink sink(file);
    sink.append("one\n");
    sink.append("two\n");
    sink.flush();
    EXPECT_EQ(sink.dropped(), 2u);
}

TEST(LogFile, NullTakesAll) {
    LogFile file("/dev/null");
    LineSink sink(file);
    for (int i = 0; i < 50'000; ++i) sink.append(line('a', i, 99));
    sink.flush();
    EXPECT_EQ(sink.dropped(), 0u);
}

TEST(LogFile, ANamedPipeWithoutReaderDoesNotHoldUpTheStart) {
    const Folder folder;
    const auto name = (folder.path / "fifo").string();
    ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
    LogFile file(name);
    EXPECT_TRUE(file.opened());
}

}  // namespace
}  // namespace ticketgate
