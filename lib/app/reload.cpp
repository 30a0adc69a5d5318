#include "app/reload.hpp"

#include <stdexcept>

#include "app/restart_keys.hpp"
#include "app/roots.hpp"
#include "app/spool.hpp"
#include "app/tls.hpp"
#include "app/workers.hpp"
#include "base/clock.hpp"
#include "config/validate.hpp"

namespace ticketgate {

Reload::Reload(std::string path, config::Environment environment, config::Config started,
               const Identities& running, Log& log, metrics::Registry& metrics, Assembly& assembly,
               Front& front)
    : path_(std::move(path)),
      environment_(std::move(environment)),
      started_(std::move(started)),
      running_(running),
      log_(log),
      assembly_(assembly),
      front_(front),
      successful_(metrics.gauge("ticketgate_config_last_reload_successful",
                                "1: the last config file was good.")) {
    successful_.set(1);
}

admin::Reloaded Reload::run() {
    auto result = apply(load());
    successful_.set(result.problems.empty() ? 1 : 0);
    last_ = wall_now();
    result_ = result;
    if (result.problems.empty()) loaded_ = last_;
    if (result.problems.empty()) {
        log_.info("config loaded", {{"file", path_}});
        return result;
    }
    for (const auto& problem : result.problems) log_.error(problem);
    log_.error("the config is not loaded; the old one stays", {{"file", path_}});
    return result;
}

void Reload::tell(admin::Standing& standing) const {
    standing.file = path_;
    standing.loaded = loaded_;
    standing.last_reload = last_;
    standing.problems = result_.problems;
    standing.need_restart = result_.need_restart;
}

// Loads the file with the checks of `check`, against the running process.
config::Loaded Reload::load() const {
    auto loaded = config::load_file(path_, environment_);
    if (loaded.read() == nullptr) return loaded;
    const config::Config& config = *loaded.read();
    std::vector<std::string> complaints;  // reported at the start
    const auto next = identities_of(config, environment_, this_system(), complaints);
    auto problems = reload_problems(config, running_, next);
    for (const auto& more : {tls_problems(config, wall_now()), spool_problems(config),
                             worker_problems(config), root_problems(config, path_)})
        problems.insert(problems.end(), more.begin(), more.end());
    loaded.add(std::move(problems));
    return loaded;
}

admin::Reloaded Reload::apply(config::Loaded loaded) {
    admin::Reloaded result;
    for (const auto& problem : loaded.problems) {
        if (problem.warning) log_.warn(config::print(problem));
        (problem.warning ? result.warnings : result.problems).push_back(config::print(problem));
    }
    if (!result.problems.empty()) return result;
    try {
        put_in_force(*std::move(loaded.config));
    } catch (const std::runtime_error& why) {
        result.problems.emplace_back(why.what());
        return result;
    }
    result.need_restart = tell_what_needs_a_restart();
    tell_of_left_queues(result.warnings);
    return result;
}

// The assembly throws before it changes anything.
void Reload::put_in_force(config::Config next) {
    assembly_.reload(std::move(next));
    const config::Config& now = assembly_.config();
    log_.level(log_level(now.log.level));
    front_.max_connections(now.clients.max_connections);
    assembly_.probe_status_pages();
}

// Compares with the running process, so a second reload of the same file reports the keys again.
std::vector<std::string> Reload::tell_what_needs_a_restart() {
    std::vector<std::string> lines;
    for (const auto& problem : keys_for_restart(started_, assembly_.config())) {
        lines.push_back(config::print(problem));
        log_.warn(lines.back());
    }
    return lines;
}

// A queue that lost its routes excludes only its own requests, which go on.
void Reload::tell_of_left_queues(std::vector<std::string>& warnings) {
    const auto used = config::queues_of_routes(assembly_.config());
    assembly_.gates().for_each([&](const Gate& gate) {
        const auto figures = gate.figures();
        if (figures.empty() || used.contains(gate.name())) return;
        warnings.push_back("queue " + gate.name() + " has no route any more, but " +
                           std::to_string(figures.in_flight) + " of its requests run and " +
                           std::to_string(figures.waiting) +
                           " wait: until they end, requests of other queues may run beside them");
        log_.warn(warnings.back());
    });
}

}  // namespace ticketgate
