#include "spawn/child.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/blocked_signals.hpp"
#include "base/descriptor.hpp"

namespace ticketgate::spawn {
namespace {

// What the child needs, prepared before the fork: behind it, only async-signal-safe calls are
// allowed, as another thread may hold the allocator's lock.
struct Prepared {
    const Command& command;
    const Wiring& wiring;
    int nothing;  // /dev/null, for what the wiring leaves out
    int report;   // write end of a pipe that exec closes
    pid_t parent;
    std::vector<char*> arguments, environment;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

[[noreturn]] void give_up(const Prepared& with, const char* step) {
    const NotStarted why{errno, step};
    (void)!::write(with.report, &why, sizeof(why));  // the same program: the pointer is valid there
    _exit(127);
}

void must(const Prepared& with, bool good, const char* step) {
    if (!good) give_up(with, step);
}

void reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);  // fails for KILL, STOP
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become(const Prepared& with, const User& user) {
    must(with, ::setgroups(user.groups.size(), user.groups.data()) == 0, "setgroups");
    must(with, ::setgid(user.gid) == 0, "setgid");
    must(with, ::setuid(user.uid) == 0, "setuid");
}

// Also those that close on exec: until then this process would hold clients' connections open.
void close_others(const Prepared& with) {
    unsigned from = STDERR_FILENO + 1;
    for (const int kept :
         {std::min(with.report, with.wiring.control), std::max(with.report, with.wiring.control)}) {
        if (kept < static_cast<int>(from)) continue;
        if (static_cast<unsigned>(kept) > from)
            (void)::close_range(from, static_cast<unsigned>(kept) - 1, 0);
        from = static_cast<unsigned>(kept) + 1;
    }
    (void)::close_range(from, ~0U, 0);
}

void wire(const Prepared& with) {
    const auto take = [&with](int from, int to) {
        must(with, ::dup2(from >= 0 ? from : with.nothing, to) == to, "dup2");
        must(with, ::fcntl(to, F_SETFD, 0) == 0, "fcntl");  // it may have been the same number
    };
    take(with.wiring.input, STDIN_FILENO);
    take(with.wiring.output, STDOUT_FILENO);
    take(with.wiring.output, STDERR_FILENO);
    close_others(with);
    if (with.wiring.control >= 0)
        must(with, ::fcntl(with.wiring.control, F_SETFD, 0) == 0, "fcntl");
}

// A group of its own: the terminal's signals are for ticketgate. The parent death signal is set
// after the change of user, which would clear it.
[[noreturn]] void run(const Prepared& with) {
    const Command& command = with.command;
    reset_signals();
    must(with, ::setpgid(0, 0) == 0, "setpgid");
    for (const Limit& limit : command.limits) {
        const rlimit both{limit.value, limit.value};
        must(with, ::setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) == 0,
             "setrlimit");
    }
    if (command.umask) ::umask(*command.umask);
    wire(with);
    if (command.user) become(with, *command.user);
    if (!command.directory.empty()) must(with, ::chdir(command.directory.c_str()) == 0, "chdir");
    must(with, ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    // ticketgate's right to bind port 80 is not for scripts.
    (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    must(with, ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, "pdeathsig");
    if (::getppid() != with.parent) _exit(127);  // it died before the call
    ::execve(command.program.c_str(), with.arguments.data(), with.environment.data());
    give_up(with, "execve");
}

}  // namespace

// The child opens nothing: its limit may be below the descriptors that it still shares.
Begun begin(const Command& command, const Wiring& wiring, NotStarted& why) {
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (nothing.get() < 0) {
        why = {errno, "open /dev/null"};
        return {};
    }
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        why = {errno, "pipe"};
        return {};
    }
    Begun begun{0, Descriptor(ends[0])};
    const Descriptor writer(ends[1]);
    const Prepared prepared{command,
                            wiring,
                            nothing.get(),
                            writer.get(),
                            ::getpid(),
                            pointers(command.arguments),
                            pointers(command.environment)};
    const BlockedSignals in_the_child;  // none reaches a handler of ours there
    const pid_t pid = ::fork();
    if (pid == 0) run(prepared);
    why = {errno, "fork"};
    begun.pid = std::max(pid, 0);
    return begun;
}

Birth birth_of(int report, NotStarted& why) {
    pollfd readable{report, POLLIN, 0};
    if (::poll(&readable, 1, 0) <= 0) return Birth::pending;
    return ::read(report, &why, sizeof(why)) == sizeof(why) ? Birth::failed : Birth::runs;
}

std::string find_program(const std::string& name, const std::string& path) {
    const auto runs = [](const std::string& file) {
        struct stat status {};
        return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
               ::access(file.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return runs(name) ? name : std::string();
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string file = path.substr(begin, end - begin) + "/" + name;
        if (end != begin && runs(file)) return file;
        begin = end + 1;
    }
    return {};
}

result<User> find_user(const std::string& user, const std::string& group) {
    const auto unknown =
        boost::system::errc::make_error_code(boost::system::errc::invalid_argument);
    const passwd* const account = ::getpwnam(user.c_str());
    if (account == nullptr) return unknown;
    User out{account->pw_uid, account->pw_gid, {}};
    if (!group.empty()) {
        const ::group* const found = ::getgrnam(group.c_str());
        if (found == nullptr) return unknown;
        out.gid = found->gr_gid;
    }
    int count = 64;
    out.groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(user.c_str(), out.gid, out.groups.data(), &count) < 0)
        out.groups.assign(1, out.gid);
    else
        out.groups.resize(static_cast<std::size_t>(count));
    return out;
}

}  // namespace ticketgate::spawn
