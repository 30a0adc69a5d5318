#include "base/check.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace ticketgate {
namespace {

// Makes stderr a pipe that is full and that nobody reads.
void stop_stderr() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_NONBLOCK) != 0) return;
    const char byte = 'x';
    while (write(ends[1], &byte, 1) == 1) continue;
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], STDERR_FILENO);
}

TEST(CheckDeathTest, EndsTheProcessAndSaysWhere) {
    EXPECT_DEATH(TG_CHECK(1 > 2), "ticketgate: broken invariant: 1 > 2 \\(.*check_test.cpp:");
}

TEST(CheckDeathTest, EndsTheProcessAlsoWhereNobodyReadsIt) {
    const auto end = [] {
        stop_stderr();
        alarm(60);  // ends it if it waits for the reader
        TG_CHECK(1 > 2);
    };
    EXPECT_EXIT(end(), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace ticketgate
