#include "spawn/life.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace ticketgate::spawn {
namespace {

// PF_EXITING in the kernel's flags of the process: set before the first descriptor is closed.
constexpr unsigned long exiting = 4;
constexpr int fields_to_flags = 7;  // behind the name, which may hold blanks and brackets

bool exits(std::string_view stat) {
    auto at = stat.rfind(')');
    for (int i = 0; i < fields_to_flags && at != stat.npos; ++i) at = stat.find(' ', at + 1);
    if (at == stat.npos) return false;
    unsigned long flags = 0;
    (void)std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), flags);
    return (flags & exiting) != 0;
}

}  // namespace

// pidfd_open(2): Linux 5.3; the C library of Debian 12 has no wrapper in C++.
Life::Life(pid_t child)
    : pid_(child), process_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))) {}

bool Life::over() const noexcept {
    if (!known()) return false;
    pollfd process{process_.get(), POLLIN, 0};
    return ::poll(&process, 1, 0) > 0;
}

// The number is the process's own while that is not reaped, that is if it is not over behind this.
bool Life::ends() const noexcept {
    if (!known()) return false;
    std::array<char, 32> path;
    (void)std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid_));
    const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> text;
    const auto size = file.get() < 0 ? -1 : ::read(file.get(), text.data(), text.size());
    return over() || (size > 0 && exits({text.data(), static_cast<std::size_t>(size)}));
}

}  // namespace ticketgate::spawn
