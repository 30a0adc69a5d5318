// Children that have ended in part: as a worker may, whose process is not over.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "base/descriptor.hpp"
#include "support/patience.hpp"
#include "support/slow_end.hpp"

namespace ticketgate::spawn {

inline void wait_for_the_end_of(pid_t child) {
    siginfo_t info{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
}

constexpr int not_allowed = 77;

/// Runs it in a child and returns its result; 2: a signal ended the child.
inline int in_a_child(int (*run)()) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
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

/// All its threads have ended, and it is not over: a process whose memory takes long to free looks
/// the same from outside.
class Dying {
 public:
    Dying() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        const Descriptor waits(ends[0]);
        Descriptor until(ends[1]);
        pid = ::fork();
        if (pid == 0) end_with_both_threads(ends[0], ends[1]);
        EXPECT_TRUE(test::eventually([&] { return threads_of(pid) == 2; }));
        end_.emplace(pid);
    }
    ~Dying() {
        finish();
        (void)::waitpid(pid, nullptr, 0);
    }
    Dying(const Dying&) = delete;
    Dying& operator=(const Dying&) = delete;

    /// Waits until it is over; it is not reaped.
    void finish() {
        end_.reset();
        wait_for_the_end_of(pid);
    }

    pid_t pid = 0;

 private:
    static std::ptrdiff_t threads_of(pid_t process) {
        const auto threads = "/proc/" + std::to_string(process) + "/task";
        return std::distance(std::filesystem::directory_iterator(threads), {});
    }
    [[noreturn]] static void end_with_both_threads(int waits, int until) {
        ::close(until);
        std::thread([] {
            for (;;) ::pause();
        }).detach();
        char none = 0;
        (void)!::read(waits, &none, 1);
        ::_exit(0);
    }
    std::optional<test::HeldEnd> end_;
};

}  // namespace ticketgate::spawn
