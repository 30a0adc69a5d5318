#include "app/workers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "proxy/workers.hpp"

namespace ticketgate {
namespace {

// By the mode alone: an access control list may give more.
bool may_enter(const spawn::User& user, const struct stat& folder) {
    if (user.uid == 0) return true;
    if (user.uid == folder.st_uid) return (folder.st_mode & S_IXUSR) != 0;
    const bool member =
        user.gid == folder.st_gid || std::ranges::count(user.groups, folder.st_gid) != 0;
    return (folder.st_mode & (member ? S_IXGRP : S_IXOTH)) != 0;
}

// The first folder on the way that this user may not enter; empty: none.
std::string closed_folder(const spawn::User& user, const std::string& folder) {
    std::error_code unknown;
    std::filesystem::path at;
    for (const auto& name : std::filesystem::canonical(folder, unknown)) {
        at /= name;
        struct stat about {};
        if (::stat(at.c_str(), &about) == 0 && !may_enter(user, about)) return at.string();
    }
    return {};
}

// For ticketgate itself; empty: it can.
std::string why_not_enterable(const std::string& folder) {
    struct stat about {};
    if (::stat(folder.c_str(), &about) != 0) return folder + ": " + std::strerror(errno);
    if (!S_ISDIR(about.st_mode)) return folder + " is not a folder";
    if (::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0) return {};
    return folder + " may not be entered by this user: " + std::strerror(errno);
}

// A worker changes to it before its program starts, and after it has become `user`.
void look_at_directory(const config::Mark& mark, const std::string& at,
                       const spawn::Command& command, config::Problems& problems) {
    if (command.directory.empty()) return;
    if (const auto why = why_not_enterable(command.directory); !why.empty())
        return problems.error(mark, at, why + "; no worker can start there");
    if (!command.user) return;
    const auto closed = closed_folder(*command.user, command.directory);
    if (!closed.empty())
        problems.warn(mark, at,
                      "the mode of " + closed + " does not let the workers' user enter it; then " +
                          "no worker can start");
}

}  // namespace

std::vector<config::Problem> worker_problems(const config::Config& config) {
    config::Problems problems;
    for (const auto& [name, upstream] : config.upstreams) {
        if (!upstream.workers || upstream.workers->command.empty()) continue;  // reported
        const std::string path = "upstreams." + name + ".workers";
        try {
            const auto recipe = recipe_of(*upstream.workers, config.spool.directory);
            const std::string at = path + ".directory";
            look_at_directory(config.mark_of(at), at, recipe.command, problems);
        } catch (const WorkersFault& fault) {
            const std::string at = path + "." + fault.key;
            problems.error(config.mark_of(at), at, fault.what());
        }
        if (upstream.workers->user.empty() && ::geteuid() == 0)
            problems.warn(config.mark_of(path), path + ".user",
                          "is not set: if ticketgate is started as root, the workers run as "
                          "root, too; write user: www-data");
    }
    return problems.take();
}

}  // namespace ticketgate
