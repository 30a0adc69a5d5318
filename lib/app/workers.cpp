#include "app/workers.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "proxy/workers.hpp"

namespace ticketgate {
namespace {

// By the mode alone: an access control list may give more. `others`: the right as others have it.
bool has_right(const spawn::User& user, const struct stat& about, mode_t others) {
    if (user.uid == 0) return true;
    if (user.uid == about.st_uid) return (about.st_mode & others << 6) != 0;
    const bool member =
        user.gid == about.st_gid || std::ranges::count(user.groups, about.st_gid) != 0;
    return (about.st_mode & (member ? others << 3 : others)) != 0;
}

// Processes of another user get no signal without it, not even the kernel's when ticketgate is
// killed (prctl(2), PR_SET_PDEATHSIG).
bool has_cap_kill() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &head, sets.data()) != 0) return true;  // not told
    return (sets[CAP_TO_INDEX(CAP_KILL)].effective & CAP_TO_MASK(CAP_KILL)) != 0;
}

bool may_enter(const spawn::User& user, const struct stat& folder) {
    return has_right(user, folder, S_IXOTH);
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

// Empty: they can run it.
std::string why_not_run(const config::Upstream& upstream, const spawn::Command& command,
                        const std::string& script) {
    const std::string path = upstream.fcgi->root + script;
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0)
        return path + ": " + std::strerror(errno) +
               "; paths that name no script get \"File not found\" or \"No input file\" from "
               "PHP. Correct root or script, or write script: off";
    if (!command.user || has_right(*command.user, about, S_IROTH)) return {};
    return "the mode of " + path + " does not let the workers' user " + upstream.workers->user +
           " read it";
}

// The script that runs for each path that names none; empty: no script has to be there.
std::string front_controller(const config::Upstream& upstream) {
    const auto& tries = upstream.files.tries.value;
    std::string last = tries && !tries->empty() ? tries->back() : "upstream";
    if (upstream.fcgi->split && last.ends_with(".php")) return last;
    return last == "upstream" || !upstream.fcgi->split ? upstream.fcgi->script.value_or("") : "";
}

void look_at_workers(const config::Config& config, const std::string& name,
                     const config::Upstream& upstream, config::Problems& problems) {
    const std::string path = "upstreams." + name + ".workers";
    std::vector<WorkersFault> faults;
    const auto recipe = recipe_of(config, *upstream.workers, faults);
    for (const auto& fault : faults) {
        const std::string at = path + "." + fault.key;
        problems.error(config.mark_of(at), at, fault.what());
    }
    const std::string at = path + ".directory";
    look_at_directory(config.mark_of(at), at, recipe.command, problems);
    const auto& user = recipe.command.user;
    if (user && user->uid != ::getuid() && !has_cap_kill())
        problems.error(config.mark_of(path), path + ".user",
                       "is another user than ticketgate's, which could not end such "
                       "workers: it lacks the capability CAP_KILL. Add KILL to its "
                       "capabilities, or start ticketgate as this user");
    const std::string root = "upstreams." + name + ".fastcgi.root";
    const auto why = why_scripts_cannot_run(upstream, recipe.command);
    if (!why.empty()) problems.warn(config.mark_of(root), root, why);
    if (upstream.workers->user.empty() && ::geteuid() == 0)
        problems.warn(config.mark_of(path), path + ".user",
                      "is not set: if ticketgate is started as root, the workers run as "
                      "root, too; write user: www-data");
}

}  // namespace

std::string why_scripts_cannot_run(const config::Upstream& upstream,
                                   const spawn::Command& command) {
    if (!upstream.fcgi) return {};
    const std::string root = upstream.fcgi->root.empty() ? "/" : upstream.fcgi->root;
    struct stat about {};
    if (::stat(root.c_str(), &about) != 0)
        return root + ": " + std::strerror(errno) + "; no script can run";
    if (!S_ISDIR(about.st_mode)) return root + " is not a folder; no script can run";
    if (command.user) {
        const auto closed = closed_folder(*command.user, root);
        if (!closed.empty())
            return "the mode of " + closed + " does not let the workers' user " +
                   upstream.workers->user + " enter it; then no script can run";
    }
    const std::string script = front_controller(upstream);
    return script.empty() ? script : why_not_run(upstream, command, script);
}

std::vector<config::Problem> worker_problems(const config::Config& config) {
    config::Problems problems;
    for (const auto& [name, upstream] : config.upstreams)
        if (upstream.workers && !upstream.workers->command.empty())  // otherwise reported
            look_at_workers(config, name, upstream, problems);
    return problems.take();
}

}  // namespace ticketgate
