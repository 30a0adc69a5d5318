// A child that has begun to end, and does not end before it is told to.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/descriptor.hpp"

namespace ticketgate::spawn {

/// Its first thread has ended, another one has not: a process whose memory takes long to free looks
/// the same from outside.
class Dying {
 public:
    Dying() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        const Descriptor waits(ends[0]);
        until_ = Descriptor(ends[1]);
        pid = ::fork();
        if (pid == 0) die(ends[0], ends[1]);
    }
    ~Dying() {
        finish();
        (void)::waitpid(pid, nullptr, 0);
    }
    Dying(const Dying&) = delete;
    Dying& operator=(const Dying&) = delete;

    /// Waits until it is over; it is not reaped.
    void finish() {
        until_ = Descriptor(-1);
        siginfo_t info{};
        EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    }

    pid_t pid = 0;

 private:
    [[noreturn]] static void die(int waits, int until) {
        ::close(until);
        std::thread([waits] {
            char none = 0;
            (void)!::read(waits, &none, 1);
            ::_exit(0);
        }).detach();
        ::syscall(SYS_exit, 0);
        ::abort();
    }
    Descriptor until_{-1};
};

}  // namespace ticketgate::spawn
