#include "app/reload.hpp"

#include <algorithm>
#include <stdexcept>

#include "app/spool.hpp"
#include "app/tls.hpp"
#include "base/clock.hpp"

namespace ticketgate {
namespace {

bool same_addresses(const std::vector<config::Listen>& a, const std::vector<config::Listen>& b) {
    return std::ranges::equal(a, b, [](const config::Listen& one, const config::Listen& other) {
        return one.address == other.address && one.proxy_protocol == other.proxy_protocol;
    });
}

// A reload cannot change what was bound or opened at the start. TLS of a listener it can.
bool needs_restart(const config::Config& now, const config::Config& next) {
    return !same_addresses(now.listen, next.listen) || now.admin != next.admin ||
           now.admin_limits != next.admin_limits || now.threads != next.threads ||
           now.spool != next.spool || now.ids.machine != next.ids.machine ||
           now.id_service != next.id_service || now.log.access_file != next.log.access_file;
}

}  // namespace

Reload::Reload(std::string path, config::Environment environment, const Identities& running,
               Log& log, metrics::Registry& metrics, Assembly& assembly, Front& front)
    : path_(std::move(path)),
      environment_(std::move(environment)),
      running_(running),
      log_(log),
      assembly_(assembly),
      front_(front),
      successful_(metrics.gauge("ticketgate_config_last_reload_successful",
                                "1: the last config file was good.")) {
    successful_.set(1);
}

std::vector<std::string> Reload::run() {
    auto errors = apply(load());
    successful_.set(errors.empty() ? 1 : 0);
    if (errors.empty()) {
        log_.info("config loaded", {{"file", path_}});
        return errors;
    }
    for (const auto& error : errors) log_.error(error);
    log_.error("the config is not loaded; the old one stays", {{"file", path_}});
    return errors;
}

// As `check` looks at it, for the process that runs.
config::Loaded Reload::load() const {
    auto loaded = config::load_file(path_, environment_);
    if (!loaded.config) return loaded;
    std::vector<std::string> complaints;  // told at the start
    const auto next = identities_of(*loaded.config, environment_, this_system(), complaints);
    for (const auto& problems :
         {reload_problems(*loaded.config, running_, next), tls_problems(*loaded.config, wall_now()),
          spool_problems(*loaded.config)})
        loaded.problems.insert(loaded.problems.end(), problems.begin(), problems.end());
    return loaded;
}

std::vector<std::string> Reload::apply(config::Loaded loaded) {
    std::vector<std::string> errors;
    for (const auto& problem : loaded.problems) {
        if (problem.warning) log_.warn(config::print(problem));
        if (!problem.warning) errors.push_back(config::print(problem));
    }
    if (!errors.empty()) return errors;
    try {
        put_in_force(*std::move(loaded.config));
    } catch (const std::runtime_error& why) {
        errors.emplace_back(why.what());
    }
    return errors;
}

// The assembly throws before anything has changed.
void Reload::put_in_force(config::Config next) {
    const auto before = assembly_.snapshot();
    assembly_.reload(std::move(next));
    const config::Config& now = assembly_.config();
    if (needs_restart(before->config, now))
        log_.warn(
            "listen, admin, threads, spool, ids.machine, id_service and log.access_file change "
            "with a restart only");
    log_.level(log_level(now.log.level));
    front_.max_connections(now.clients.max_connections);
    assembly_.probe_status_pages();
}

}  // namespace ticketgate
