// Starts a child and waits for its program.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include "spawn/child.hpp"

namespace ticketgate::spawn {

/// 0: it could not be started.
inline pid_t start(const Command& command, const Wiring& wiring, NotStarted& why) {
    const Begun begun = begin(command, wiring, why);
    pollfd report{begun.report.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&report, 1, -1), 1);
    const Birth birth = birth_of(begun.report.get(), why);
    EXPECT_NE(birth, Birth::pending);
    if (birth == Birth::failed) (void)::waitpid(begun.pid, nullptr, 0);
    return birth == Birth::runs ? begun.pid : 0;
}

}  // namespace ticketgate::spawn
