#include "spawn/life.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "spawn/proc.hpp"

namespace ticketgate::spawn {
namespace {

Descriptor open_memory(pid_t number) {
    std::array<char, 48> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d/statm", number);
    return number > 0 ? Descriptor(::open(path.data(), O_RDONLY | O_CLOEXEC)) : Descriptor(-1);
}

}  // namespace

// pidfd_open(2): Linux 5.3; the C library of Debian 12 has no wrapper in C++.
Life::Life(pid_t child)
    : process_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))),
      number_(process_.get() < 0 ? 0 : number_in_proc(process_.get()).value_or(0)),
      memory_(open_memory(number_)) {}

bool Life::over() const noexcept {
    if (!known()) return false;
    pollfd process{process_.get(), POLLIN, 0};
    return ::poll(&process, 1, 0) > 0;
}

// proc(5), statm: the first field is the size of the memory. The kernel takes that from a process
// that ends before it frees it, and closes the descriptors behind that. The file shows the first
// thread, which may end before the others. ESRCH: it is reaped.
bool Life::ends() const noexcept {
    if (memory_.get() < 0) return over();
    std::array<char, 128> text;
    const auto size = ::pread(memory_.get(), text.data(), text.size(), 0);
    if (size < 0) return errno == ESRCH;
    const std::string_view memory(text.data(), static_cast<std::size_t>(size));
    return memory.starts_with("0 ") && !has_running_thread(number_);
}

}  // namespace ticketgate::spawn
