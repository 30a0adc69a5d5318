// Checks what `release: worker_idle` of a queue needs from its upstreams, and warns about settings
// of FastCGI that do not do what they seem to.
#include <algorithm>
#include <array>
#include <set>

#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool can_be_asked(const Config& config, const std::string& upstream) {
    const auto found = config.upstreams.find(upstream);
    if (found == config.upstreams.end()) return false;
    const Upstream& its = found->second;
    return its.workers || (its.fcgi && its.fcgi->status);
}

// False if the route's upstream, or its fastcgi section, could not be read.
bool knows_upstream(const std::string& route, const std::string& upstream,
                    const Problems& problems) {
    return problems.knows(route + ".upstream") && problems.knows("defaults.upstream") &&
           problems.knows("upstreams." + upstream + ".fastcgi");
}

bool is_php_cgi(const std::string& program) {
    return program.substr(program.rfind('/') + 1).starts_with("php-cgi");
}

// php-fpm has security.limit_extensions; php-cgi has nothing like it.
void warn_pathinfo(const Config& config, const std::string& name, const Upstream& upstream,
                   Problems& problems) {
    const auto& command = upstream.workers->command;
    if (command.empty() || !is_php_cgi(command.front()) || !upstream.fcgi || !upstream.fcgi->split)
        return;
    const auto sets = [](const std::string& word) {
        return word.find("cgi.fix_pathinfo=0") != std::string::npos;
    };
    if (std::ranges::any_of(command, sets)) return;
    const auto path = "upstreams." + name + ".workers.command";
    problems.warn(config.mark_of(path), path,
                  "PHP may run an uploaded picture for a path such as /upload.jpg/x.php; add -d "
                  "cgi.fix_pathinfo=0");
}

// `php8.2` and `php` are PHP's command line, which speaks no FastCGI.
bool is_php_alone(std::string_view name) {
    return name.starts_with("php") &&
           name.find_first_not_of("0123456789.", std::string_view("php").size()) == name.npos;
}

void warn_other_php(const Config& config, const std::string& name, const Upstream& upstream,
                    Problems& problems) {
    const auto& command = upstream.workers->command;
    if (command.empty()) return;
    const std::string& program = command.front();
    const auto file = std::string_view(program).substr(program.rfind('/') + 1);
    const bool manager = file.starts_with("php-fpm");
    if (!manager && !is_php_alone(file)) return;
    const auto path = "upstreams." + name + ".workers.command";
    problems.warn(
        config.mark_of(path), path,
        program +
            (manager ? " starts workers of its own"
                     : " is PHP's command line, which speaks no FastCGI") +
            "; write [php-cgi, …]" +
            (manager ? ", or url: fastcgi:// in place of workers for a php-fpm that runs" : ""));
}

// php-fpm reads these two; php-cgi passes them on as any variable.
void warn_php_values(const Config& config, const std::string& name, const Upstream& upstream,
                     Problems& problems) {
    if (!upstream.fcgi) return;
    for (const auto& [variable, value] : upstream.fcgi->params) {
        if (variable != "PHP_VALUE" && variable != "PHP_ADMIN_VALUE") continue;
        const auto path = "upstreams." + name + ".fastcgi.params";
        problems.warn(config.mark_of(path), path,
                      variable +
                          " is read by php-fpm only: its settings, such as open_basedir, are not "
                          "in force here; write them in workers.command, as in [php-cgi, -d, "
                          "open_basedir=/var/www]");
    }
}

constexpr std::array<std::string_view, 12> nginx_variables{
    "$document_root", "$realpath_root", "$fastcgi_", "$request_", "$query_string", "$remote_",
    "$server_",       "$content_",      "$http",     "$host",     "$scheme",       "$document_uri"};

// They would reach the backend as they stand.
void warn_nginx_variables(const Config& config, const std::string& name, const Fcgi& fcgi,
                          Problems& problems) {
    for (const auto& [variable, value] : fcgi.params) {
        const auto has = [&text = value](std::string_view one) {
            return text.find(one) != text.npos;
        };
        if (std::ranges::none_of(nginx_variables, has)) continue;
        const auto path = "upstreams." + name + ".fastcgi.params";
        problems.warn(config.mark_of(path), path,
                      variable +
                          " is sent as it stands: nginx's variables are none here; leave it "
                          "out, as ticketgate sets the variables of CGI itself");
    }
}

void warn_workers(const Config& config, const std::string& name, const Upstream& upstream,
                  Problems& problems) {
    warn_pathinfo(config, name, upstream, problems);
    warn_other_php(config, name, upstream, problems);
    warn_php_values(config, name, upstream, problems);
}

}  // namespace

bool tells_end_of_work(const Config& config, const Settings& settings) {
    if (!settings.queue) return true;
    const auto queue = config.queues.find(*settings.queue);
    return queue == config.queues.end() || queue->second.release != Release::worker_idle ||
           can_be_asked(config, settings.upstream);
}

std::string no_end_of_work(const Settings& settings) {
    return "queue " + *settings.queue + " has release: worker_idle, and upstream " +
           settings.upstream +
           " has no status page to ask; name the upstream and the queue in the same route";
}

void check_worker_idle(const Config& config, const std::string& path, const Settings& settings,
                       std::set<std::string>& told, Problems& problems) {
    if (settings.upstream.empty() || tells_end_of_work(config, settings) ||
        !knows_upstream(path, settings.upstream, problems) ||
        !told.insert(*settings.queue + " " + settings.upstream).second)
        return;
    const auto at = "queues." + *settings.queue + ".release";
    problems.error(config.mark_of(at), at,
                   "worker_idle asks php-fpm's status, but upstream " + settings.upstream + " of " +
                       path + " has no fastcgi: {status: {url: …}}");
}

void warn_kept_workers(const Config& config, Problems& problems) {
    for (const auto& [name, upstream] : config.upstreams) {
        if (upstream.workers) warn_workers(config, name, upstream, problems);
        if (upstream.fcgi) warn_nginx_variables(config, name, *upstream.fcgi, problems);
        if (!upstream.fcgi || !upstream.fcgi->keep_alive || upstream.workers) continue;
        const auto path = "upstreams." + name + ".fastcgi.keep_alive";
        problems.warn(
            config.mark_of(path), path,
            "each idle connection occupies a worker of php-fpm: max_idle times threads (" +
                std::to_string(std::uint64_t{upstream.max_idle} * config.threads) +
                ") must stay well below pm.max_children");
    }
}

}  // namespace ticketgate::config
