// Log readers that read on command, and numbered lines that show losses and reordering.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ticketgate {

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
    // Returns all bytes that are there now.
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

// Fills the pipe until a write would block.
inline void fill(const Ends& ends) {
    const int flags = fcntl(ends.writer, F_GETFL);
    fcntl(ends.writer, F_SETFL, flags | O_NONBLOCK);
    const std::string page(4096, 'x');
    while (write(ends.writer, page.data(), page.size()) > 0) continue;
    fcntl(ends.writer, F_SETFL, flags);
}

inline std::string line(char thread, int number, std::size_t size = 0) {
    auto text = std::string(1, thread) + " " + std::to_string(number) + " ";
    if (text.size() < size) text.append(size - text.size(), thread);
    return text + "\n";
}

inline std::size_t lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Checks that every line is `x N xxxx…` and that N rises for each thread. Returns the line count.
inline int check_order(const std::string& text) {
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

}  // namespace ticketgate
