// Starts one child process. The child has nothing of ticketgate's but what is listed here: no
// descriptor, no signal mask, no terminal. It dies with the thread that started it (its parent
// death signal), so that no worker survives ticketgate. Control thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace ticketgate::spawn {

struct Limit {
    int resource;  ///< RLIMIT_NOFILE …
    rlim_t value;  ///< both the soft and the hard limit
    bool operator==(const Limit&) const = default;
};

/// Another user for the child; only root can change.
struct User {
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups = {};
    bool operator==(const User&) const = default;
};

struct Command {
    std::string program;  ///< absolute
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  ///< NAME=value
    std::string directory = {};            ///< empty: ticketgate's
    std::optional<User> user = {};
    std::vector<Limit> limits = {};
    std::optional<mode_t> umask = {};
    bool operator==(const Command&) const = default;
};

/// Descriptors for the child; -1: none.
struct Wiring {
    int input = -1;    ///< becomes 0; none: /dev/null
    int output = -1;   ///< becomes 1 and 2; none: /dev/null
    int control = -1;  ///< stays open under its number
};

struct NotStarted {
    int error;
    const char* step;  ///< what failed: `execve`, `setuid` …
};

/// A child whose program has not replaced this one yet: the folder and the program may be on a disk
/// that hangs.
struct Begun {
    pid_t pid = 0;          ///< 0: there is none
    Descriptor report{-1};  ///< becomes readable when its program runs, or cannot
};
Begun begin(const Command& command, const Wiring& wiring, NotStarted& why);

enum class Birth : std::uint8_t {
    pending,
    runs,   ///< or the child was killed before
    failed  ///< the child ends
};
/// What the report says by now; does not wait.
Birth birth_of(int report, NotStarted& why);

/// The file that `name` means, as execvp(3) finds it; empty: none.
std::string find_program(const std::string& name, const std::string& path);

/// The account and its groups; an error text for an unknown one. `group` may be empty.
result<User> find_user(const std::string& user, const std::string& group);

}  // namespace ticketgate::spawn
