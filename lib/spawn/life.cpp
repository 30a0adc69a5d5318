#include "spawn/life.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>

namespace ticketgate::spawn {
namespace {

// proc(5), counted from 1. The flags are the kernel's PF_EXITING and PF_SIGNALED; `pending` has the
// signals of the first thread, among which SIGKILL is put as soon as any signal is to end it.
// Between the two is a moment with neither. Newer kernels tell the exit code from the kill on, to
// those who may know it.
constexpr int flags_field = 9, threads_field = 20, pending_field = 31, code_field = 52;
constexpr std::uint64_t exiting = 0x4, signaled = 0x400;
constexpr std::uint64_t killed = std::uint64_t{1} << (SIGKILL - 1);

// A stopped process has the signal that stopped it there.
bool is_fatal(std::uint64_t exit_code) {
    const std::uint64_t signal = exit_code & 0x7f;
    return signal != 0 && (signal < SIGSTOP || signal > SIGTTOU);
}

}  // namespace

Life::Life(pid_t child)
    : stat_(::open(("/proc/" + std::to_string(child) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {}

bool Life::over() const noexcept {
    if (!known()) return false;
    std::array<char, 1024> text;
    const auto size = ::pread(stat_.get(), text.data(), text.size(), 0);
    if (size < 0) return errno == ESRCH;
    return tells_end({text.data(), static_cast<std::size_t>(size)});
}

// The name in the second field may hold anything. Of several threads the first may end alone.
bool tells_end(std::string_view stat) noexcept {
    const auto name_ends = stat.rfind(')');
    if (name_ends == std::string_view::npos) return false;
    stat.remove_prefix(name_ends + 1);
    std::uint64_t flags = 0, threads = 0, pending = 0, code = 0;
    for (int field = 3; field <= code_field; ++field) {
        const auto begin = stat.find_first_not_of(' ');
        if (begin == std::string_view::npos) return false;
        stat.remove_prefix(begin);
        const auto end = std::min(stat.find_first_of(" \n"), stat.size());
        const auto read = [&](std::uint64_t& into) {
            std::from_chars(stat.data(), stat.data() + end, into);
        };
        if (field == flags_field) read(flags);
        if (field == threads_field) read(threads);
        if (field == pending_field) read(pending);
        if (field == code_field) read(code);
        stat.remove_prefix(end);
    }
    return is_fatal(code) || (pending & killed) != 0 || (flags & signaled) != 0 ||
           ((flags & exiting) != 0 && threads <= 1);
}

}  // namespace ticketgate::spawn
