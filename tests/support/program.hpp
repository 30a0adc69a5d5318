// The real program, or another one, as a child process: its output, its exit code, and signals to
// it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/patience.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::test {

class Program {
 public:
    /// Starts the program with these arguments; its output goes to files.
    explicit Program(std::vector<std::string> arguments);
    /// Starts another program, which is found by PATH.
    Program(const std::string& name, std::vector<std::string> arguments);
    ~Program();  ///< kills it if it still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const;
    /// Stops it with SIGSTOP, and returns when all its threads stand.
    void stop() const;
    /// The exit code, or 128 + the signal that ended it; nullopt if it still runs after the limit.
    std::optional<int> wait(Clock::duration limit = patience);
    std::string out() const { return folder_.read("out"); }
    std::string err() const { return folder_.read("err"); }
    /// Tells whether this text appears on stderr.
    bool says(const std::string& text) const;

 private:
    TemporaryFolder folder_;
    pid_t process_ = -1;
    std::optional<int> code_;
};

}  // namespace ticketgate::test
