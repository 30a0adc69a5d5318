// For processes of the tests whose end takes long, as where the system frees much memory.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace ticketgate::test {

/// Keeps a child with two threads from getting over its end: the kernel keeps a thread that has
/// ended, and with it the process, until its tracer has heard of it (ptrace(2)). Nothing of the
/// process runs any more then, and its memory is gone.
class HeldEnd {
 public:
    explicit HeldEnd(pid_t process) {
        const auto threads = "/proc/" + std::to_string(process) + "/task";
        for (const auto& entry : std::filesystem::directory_iterator(threads)) {
            const pid_t thread = std::stoi(entry.path().filename());
            if (thread != process) thread_ = thread;
        }
        EXPECT_NE(thread_, 0) << "it has one thread";
        EXPECT_EQ(::ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr), 0) << errno;
    }
    ~HeldEnd() { let_go(); }
    HeldEnd(const HeldEnd&) = delete;
    HeldEnd& operator=(const HeldEnd&) = delete;

    /// Waits for the end of the thread.
    void let_go() {
        if (thread_ == 0) return;
        int status = 0;
        EXPECT_EQ(::waitpid(thread_, &status, __WALL), thread_);
        EXPECT_FALSE(WIFSTOPPED(status));
        thread_ = 0;
    }

 private:
    pid_t thread_ = 0;
};

}  // namespace ticketgate::test
