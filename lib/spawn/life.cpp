#include "spawn/life.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace ticketgate::spawn {
namespace {

Descriptor open_of(const char* form, int number) {
    std::array<char, 48> path;
    (void)std::snprintf(path.data(), path.size(), form, number);
    return Descriptor(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

// The number of the process in the namespace of this /proc, which may be another one than ours; 0
// or less: it has none there (pidfd_open(2), proc(5)).
int number_in_proc(int process) {
    constexpr std::string_view key = "\nPid:\t";
    const Descriptor file = open_of("/proc/self/fdinfo/%d", process);
    std::array<char, 512> text;
    const auto size = file.get() < 0 ? -1 : ::read(file.get(), text.data(), text.size());
    const std::string_view told(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
    const auto at = told.find(key);
    int number = 0;
    if (at != told.npos)
        (void)std::from_chars(told.data() + at + key.size(), told.data() + told.size(), number);
    return number;
}

Descriptor open_memory(int process) {
    const int number = process < 0 ? 0 : number_in_proc(process);
    return number > 0 ? open_of("/proc/%d/statm", number) : Descriptor(-1);
}

}  // namespace

// pidfd_open(2): Linux 5.3; the C library of Debian 12 has no wrapper in C++.
Life::Life(pid_t child)
    : process_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))),
      memory_(open_memory(process_.get())) {}

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
