#include "spawn/proc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/folder_names.hpp"

namespace ticketgate::spawn {
namespace {

// Fields of stat by their numbers.
enum Field { comm = 2, state = 3, ppid = 4, pgrp = 5, num_threads = 20 };

// The name, in brackets, may hold anything.
std::string_view field(std::string_view stat, Field which) {
    stat.remove_prefix(std::min(stat.rfind(')'), stat.size()));
    for (int at = comm; at < which; ++at) {
        const auto blank = stat.find(' ');
        stat = blank == stat.npos ? "" : stat.substr(blank + 1);
    }
    return stat.substr(0, stat.find(' '));
}

int number(std::string_view text) {
    int value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// statm: the first field is the size of the memory. The kernel takes that from a thread that ends
// before it does anything else.
bool has_memory(pid_t process, const char* thread) {
    std::array<char, 80> path{}, text{};
    std::snprintf(path.data(), path.size(), "/proc/%d/task/%.32s/statm", process, thread);
    const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    const auto size = file.get() < 0 ? -1 : ::read(file.get(), text.data(), text.size());
    return size > 0 && text.front() != '0';
}

}  // namespace

bool is_shortage(int error) noexcept {
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

std::optional<pid_t> number_in_proc(int process) noexcept {
    constexpr std::string_view key = "\nPid:\t";
    std::array<char, 48> path{};
    std::array<char, 512> text{};
    std::snprintf(path.data(), path.size(), "/proc/self/fdinfo/%d", process);
    const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 && is_shortage(errno)) return std::nullopt;
    const auto size = file.get() < 0 ? -1 : ::read(file.get(), text.data(), text.size());
    const std::string_view told(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
    const auto at = told.find(key);
    return at == told.npos ? 0 : number(told.substr(at + key.size()));
}

Stat read_stat(std::string_view line) noexcept {
    const auto first_thread = field(line, state);
    return {first_thread.empty() ? '\0' : first_thread.front(), number(field(line, ppid)),
            number(field(line, pgrp)), number(field(line, num_threads))};
}

bool has_running_thread(pid_t process) noexcept {
    std::array<char, 32> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d/task", process);
    FolderNames threads(path.data());
    while (const char* const thread = threads.next())
        if (std::strspn(thread, "0123456789") == std::strlen(thread) && has_memory(process, thread))
            return true;
    return false;
}

}  // namespace ticketgate::spawn
