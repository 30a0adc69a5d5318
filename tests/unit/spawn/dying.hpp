// Children that have ended in part: as a worker may, whose process is not over.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "base/descriptor.hpp"

namespace ticketgate::spawn {

inline void wait_for_the_end_of(pid_t child) {
    siginfo_t info{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
}

/// Its first thread has ended, another one runs until it is told to end.
class FirstThreadEnded {
 public:
    FirstThreadEnded() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        const Descriptor waits(ends[0]);
        until_ = Descriptor(ends[1]);
        pid = ::fork();
        if (pid == 0) end_first_thread(ends[0], ends[1]);
    }
    ~FirstThreadEnded() {
        finish();
        (void)::waitpid(pid, nullptr, 0);
    }
    FirstThreadEnded(const FirstThreadEnded&) = delete;
    FirstThreadEnded& operator=(const FirstThreadEnded&) = delete;

    /// Waits until it is over; it is not reaped.
    void finish() {
        until_ = Descriptor(-1);
        wait_for_the_end_of(pid);
    }

    pid_t pid = 0;

 private:
    [[noreturn]] static void end_first_thread(int waits, int until) {
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

/// All its threads have ended, and it is not over, as one whose memory takes long to free: the
/// first process of a namespace ends after all others there (pid_namespaces(7)), and one of them is
/// not reaped. Needs root.
class Dying {
 public:
    Dying() {
        const Descriptor own(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
        if (::unshare(CLONE_NEWPID) != 0) return;
        pid = ::fork();
        if (pid == 0) until_killed();
        other_ = ::fork();
        if (other_ == 0) until_killed();
        EXPECT_EQ(::setns(own.get(), CLONE_NEWPID), 0);
        ::kill(pid, SIGKILL);
    }
    ~Dying() {
        finish();
        (void)::waitpid(pid, nullptr, 0);
    }
    Dying(const Dying&) = delete;
    Dying& operator=(const Dying&) = delete;

    bool allowed() const { return pid != 0; }
    /// Waits until it is over; it is not reaped.
    void finish() {
        if (other_ == 0) return;
        EXPECT_EQ(::waitpid(other_, nullptr, 0), other_);
        other_ = 0;
        wait_for_the_end_of(pid);
    }

    pid_t pid = 0;

 private:
    [[noreturn]] static void until_killed() {
        for (;;) ::pause();
    }
    pid_t other_ = 0;
};

}  // namespace ticketgate::spawn
