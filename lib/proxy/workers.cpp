#include "proxy/workers.hpp"

#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "config/validate.hpp"
#include "config/values_workers.hpp"
#include "proxy/settings.hpp"
#include "upstream/worker_link.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX declares it nowhere

namespace ticketgate {
namespace {

constexpr const char* usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

constexpr std::array<std::pair<std::string_view, int>, 9> limit_numbers{{
    {"as", RLIMIT_AS},
    {"core", RLIMIT_CORE},
    {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},
    {"memlock", RLIMIT_MEMLOCK},
    {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},
    {"stack", RLIMIT_STACK},
}};

// Those that concern ticketgate itself: systemd's sockets and watchdog.
constexpr std::array<std::string_view, 6> own{"NOTIFY_SOCKET",  "LISTEN_FDS",   "LISTEN_PID",
                                              "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC"};

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

bool gives(const config::Workers& workers, std::string_view name) {
    return std::ranges::any_of(workers.environment,
                               [&](const auto& given) { return given.first == name; });
}

constexpr std::array<std::string_view, 3> of_account{"HOME", "USER", "LOGNAME"};

// As systemd sets them for User=. Those of ticketgate's own account would mislead.
void add_account(const config::Workers& workers, std::vector<std::string>& out) {
    const passwd* const account = workers.user.empty() || workers.clear_environment
                                      ? nullptr
                                      : ::getpwnam(workers.user.c_str());
    if (account == nullptr) return;
    const std::array<const char*, 3> values{account->pw_dir, account->pw_name, account->pw_name};
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!gives(workers, of_account[i]))
            out.push_back(std::string(of_account[i]).append("=").append(values[i]));
}

bool is_passed_on(const config::Workers& workers, std::string_view name) {
    if (workers.clear_environment && name != "PATH") return false;
    if (!workers.user.empty() && std::ranges::find(of_account, name) != of_account.end())
        return false;
    return std::ranges::find(own, name) == own.end() && !name.starts_with("PHP_FCGI_") &&
           name != "FCGI_LISTENSOCK_DESCRIPTORS" && !gives(workers, name);
}

// php-cgi would end after 500 requests by itself.
std::vector<std::string> variables_for(const config::Config& config,
                                       const config::Workers& workers) {
    std::vector<std::string> out;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view variable = *at;
        const std::string_view name = name_of(variable);
        if (is_passed_on(workers, name) && !config.secret_variables.contains(std::string(name)))
            out.emplace_back(variable);
    }
    add_account(workers, out);
    out.emplace_back("PHP_FCGI_MAX_REQUESTS=0");
    for (const auto& [name, value] : workers.environment)
        out.push_back(std::string(name).append("=").append(value));
    return out;
}

std::string path_of(const config::Workers& workers) {
    for (const auto& [name, value] : workers.environment)
        if (name == "PATH") return value;
    const char* const own_path = std::getenv("PATH");
    return own_path != nullptr ? own_path : usual_path;
}

std::vector<spawn::Limit> limits_of(const config::Workers& workers) {
    std::vector<spawn::Limit> out;
    for (const auto& [name, text] : workers.rlimits)
        for (const auto& [known, number] : limit_numbers)
            if (name == known)
                out.push_back(
                    {number, *config::rlimit_value(text)});  // its greatest: RLIM_INFINITY
    return out;
}

// None: the workers stay ticketgate's own user.
std::optional<spawn::User> user_of(const config::Workers& workers,
                                   std::vector<WorkersFault>& faults) {
    if (workers.user.empty()) return std::nullopt;
    const auto user = spawn::find_user(workers.user, workers.group);
    if (!user) {
        faults.emplace_back("user", "there is no such account" +
                                        (workers.group.empty() ? std::string() : " or group"));
        return std::nullopt;
    }
    if (user->uid == ::geteuid() && user->gid == ::getegid()) return std::nullopt;
    if (::geteuid() == 0) return *user;
    faults.emplace_back("user", "only root can start workers as " + workers.user +
                                    "; remove it, or start ticketgate as that user");
    return std::nullopt;
}

std::string why_no_program(const std::string& name) {
    if (name.find('/') == std::string::npos)
        return "there is no program " + name + " in PATH; for PHP, install php-cgi";
    if (::access(name.c_str(), F_OK) != 0) return "there is no program " + name;
    return name + " is there, but it is not an executable file";
}

}  // namespace

spawn::Recipe recipe_of(const config::Config& config, const config::Workers& workers,
                        std::vector<WorkersFault>& faults) {
    spawn::Recipe out;
    spawn::Command& command = out.command;
    command.program = spawn::find_program(workers.command.front(), path_of(workers));
    if (command.program.empty())
        faults.emplace_back("command", why_no_program(workers.command.front()));
    command.arguments = workers.command;
    command.environment = variables_for(config, workers);
    command.directory = workers.directory;
    command.limits = limits_of(workers);
    command.user = user_of(workers, faults);
    if (!workers.umask.empty())
        command.umask = static_cast<mode_t>(std::strtoul(workers.umask.c_str(), nullptr, 8));
    out.transport = workers.transport == config::WorkerTransport::socket
                        ? spawn::Transport::socket
                        : spawn::Transport::descriptors;
    out.directory = config.spool.directory;
    out.start_timeout = workers.start_timeout;
    out.stop_timeout = workers.stop_timeout;
    return out;
}

spawn::Recipe recipe_of(const config::Config& config, const config::Workers& workers) {
    std::vector<WorkersFault> faults;
    auto out = recipe_of(config, workers, faults);
    if (!faults.empty()) throw WorkersFault(faults.front());
    return out;
}

spawn::Bounds bounds_of(const config::Config& config, const std::string& upstream) {
    const config::Workers& workers = *config.upstreams.at(upstream).workers;
    const std::uint32_t max =
        workers.max != config::unlimited
            ? workers.max
            : config::most_workers(config, upstream, std::thread::hardware_concurrency());
    return {workers.min, std::max(workers.min, max), workers.idle_timeout};
}

std::uint32_t max_requests_of(const config::Workers& workers) {
    return workers.max_requests == config::unlimited ? 0 : workers.max_requests;
}

config::Upstream without_bounds(config::Upstream upstream) {
    const config::Workers usual;
    config::Workers& workers = *upstream.workers;
    workers.min = usual.min;
    workers.max = usual.max;
    workers.idle_timeout = usual.idle_timeout;
    workers.max_requests = usual.max_requests;
    upstream.files = {};
    return upstream;
}

// A kept connection costs a worker nothing: it serves ticketgate alone.
FcgiSettings worker_settings(const config::Upstream& upstream) {
    FcgiSettings out = fcgi_settings(*upstream.fcgi);
    out.keep_alive = upstream.workers->transport == config::WorkerTransport::socket;
    return out;
}

spawn::MakeLink link_maker(std::shared_ptr<FcgiUpstream> protocol,
                           config::WorkerTransport transport) {
    const bool sockets = transport == config::WorkerTransport::socket;
    return [protocol = std::move(protocol), sockets](
               const std::shared_ptr<spawn::Pool>& pool,
               spawn::Worker& worker) -> std::unique_ptr<spawn::Link> {
        if (sockets) return std::make_unique<SocketLink>(protocol, pool, worker);
        return std::make_unique<DescriptorLink>(protocol, pool, worker);
    };
}

}  // namespace ticketgate
