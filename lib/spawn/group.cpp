#include "spawn/group.hpp"

#include <sys/wait.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace ticketgate::spawn {
namespace {

pid_t ended(idtype_t which, pid_t child) {
    siginfo_t info{};
    const auto id = static_cast<id_t>(child);
    if (::waitid(which, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
    return info.si_pid;
}

// proc(5): `pid (name) state ppid pgrp`; the name may hold anything.
bool runs_in(const std::string& stat, pid_t group) {
    const auto name_ends = stat.rfind(')');
    if (name_ends == std::string::npos || stat.size() < name_ends + 4) return false;
    const char state = stat[name_ends + 2];
    const auto parent_ends = stat.find(' ', name_ends + 4);
    if (state == 'Z' || state == 'X' || parent_ends == std::string::npos) return false;
    pid_t found = 0;
    std::from_chars(stat.data() + parent_ends + 1, stat.data() + stat.size(), found);
    return found == group;
}

}  // namespace

bool has_ended(pid_t child) {
    return ended(P_PID, child) == child;
}

pid_t any_ended() {
    return ended(P_ALL, 0);
}

bool kill_rest(pid_t group) {
    (void)::kill(-group, SIGKILL);
    std::error_code failure;
    for (std::filesystem::directory_iterator process("/proc", failure), end;
         !failure && process != end; process.increment(failure)) {
        const std::string name = process->path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::string stat;
        std::getline(std::ifstream(process->path() / "stat"), stat);
        if (runs_in(stat, group)) return false;
    }
    return true;
}

}  // namespace ticketgate::spawn
