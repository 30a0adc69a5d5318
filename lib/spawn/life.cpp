#include "spawn/life.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace ticketgate::spawn {
namespace {

Descriptor open_memory(pid_t child) {
    std::array<char, 32> path;
    (void)std::snprintf(path.data(), path.size(), "/proc/%d/statm", static_cast<int>(child));
    return Descriptor(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

// pidfd_open(2): Linux 5.3; the C library of Debian 12 has no wrapper in C++.
Life::Life(pid_t child)
    : process_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))),
      memory_(open_memory(child)) {}

bool Life::over() const noexcept {
    if (!known()) return false;
    pollfd process{process_.get(), POLLIN, 0};
    return ::poll(&process, 1, 0) > 0;
}

// proc(5), statm: the first field is the size of the process. The kernel takes the memory from a
// process that ends before it frees it, and closes the descriptors behind that. ESRCH: it is
// reaped.
bool Life::ends() const noexcept {
    if (memory_.get() < 0) return over();
    std::array<char, 128> text;
    const auto size = ::pread(memory_.get(), text.data(), text.size(), 0);
    if (size < 0) return errno == ESRCH;
    return std::string_view(text.data(), static_cast<std::size_t>(size)).starts_with("0 ");
}

}  // namespace ticketgate::spawn
