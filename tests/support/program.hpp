// The real program as a child process: what it prints, how it ends, how it takes signals.
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
    /// Starts it with these arguments; its output goes to files.
    explicit Program(std::vector<std::string> arguments);
    ~Program();  ///< kills it if it still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const;
    /// The exit code, 128 + signal if one ended it; nullopt when it still runs after the limit.
    std::optional<int> wait(Clock::duration limit = patience);
    std::string out() const { return folder_.read("out"); }
    std::string err() const { return folder_.read("err"); }
    /// Does this text come on stderr?
    bool says(const std::string& text) const;

 private:
    TemporaryFolder folder_;
    pid_t process_ = -1;
    std::optional<int> code_;
};

}  // namespace ticketgate::test
