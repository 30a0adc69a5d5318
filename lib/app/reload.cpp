#include "app/reload.hpp"

#include <stdexcept>

#include "app/config_files.hpp"
#include "app/lost_backends.hpp"
#include "app/replica.hpp"
#include "app/restart_keys.hpp"
#include "app/roots.hpp"
#include "app/spool.hpp"
#include "app/tls.hpp"
#include "app/tracing.hpp"
#include "app/workers.hpp"
#include "base/clock.hpp"
#include "config/validate.hpp"

namespace ticketgate {

Reload::Reload(std::string path, config::Environment environment, config::Config started,
               const FirstRead& first, const Identities& running, Log& log,
               metrics::Registry& metrics, Assembly& assembly, Front& front,
               replica::Replica* replica, otlp::Exporter& exporter)
    : path_(std::move(path)),
      environment_(std::move(environment)),
      started_(std::move(started)),
      running_(running),
      log_(log),
      assembly_(assembly),
      front_(front),
      replica_(replica),
      exporter_(exporter),
      successful_(metrics.gauge("ticketgate_config_last_reload_successful",
                                "1: the last config file was good.")),
      success_time_(metrics.gauge("ticketgate_config_last_reload_success_timestamp_seconds",
                                  "When the config in force was read, in Unix time.")) {
    view_.file = path_;
    note_files(first.files, true);
    note_read({admin::ReadBy::start, first.at, monotonic_now()});
}

admin::Reloaded Reload::run(admin::ReadBy by) {
    admin::ConfigRead read{by, wall_now(), monotonic_now()};
    auto loaded = load();
    auto files = named_files(loaded);
    read.result = apply(std::move(loaded));
    note_files(std::move(files), read.good());
    tell(read);
    note_read(read);
    return std::move(read.result);
}

// Nobody sees the answer of a watch, and a file may stay bad: one line, the rest is in the views.
void Reload::tell(const admin::ConfigRead& read) {
    const std::string by = name(read.by);
    if (read.good()) return log_.info("config loaded", {{"file", path_}, {"by", by}});
    const auto& problems = read.result.problems;
    constexpr const char* kept = "the config is not loaded; the old one stays";
    if (read.by == admin::ReadBy::watch)
        return log_.error(
            kept,
            {{"file", path_}, {"by", by}, {"problems", problems.size()}, {"first", problems[0]}});
    for (const auto& problem : problems) log_.error(problem);
    log_.error(kept, {{"file", path_}, {"by", by}});
}

void Reload::note_read(admin::ConfigRead read) {
    const bool good = read.good();
    successful_.set(good ? 1 : 0);
    if (good) {
        view_.in_force_since = read.at;
        view_.measured_since = read.measured_at;
        success_time_.set(static_cast<double>(read.at.unix_us) / 1e6);
    }
    view_.last = std::move(read);
}

// A file that only the bad config names may be what is missing.
void Reload::note_files(Files read, bool in_force) {
    read.insert(path_);
    if (in_force) in_force_files_ = read;
    files_ = std::move(read);
    files_.insert(in_force_files_.begin(), in_force_files_.end());
}

void Reload::tell(admin::Standing& standing) const {
    standing.file = path_;
    standing.loaded = view_.in_force_since;
    if (view_.last.by != admin::ReadBy::start) standing.last_reload = view_.last.at;
    standing.problems = view_.last.result.problems;
    standing.need_restart = view_.last.result.need_restart;
}

// Loads the file with the checks of `check`, against the running process.
config::Loaded Reload::load() const {
    auto loaded = config::load_file(path_, environment_);
    if (loaded.read() == nullptr) return loaded;
    const config::Config& config = *loaded.read();
    std::vector<std::string> complaints;  // reported at the start
    const auto next = identities_of(config, environment_, this_system(), complaints);
    auto problems = reload_problems(config, running_, next);
    for (const auto& more :
         {lost_backend_problems(started_, config), tls_problems(config, wall_now()),
          spool_problems(config, SpoolUse::after_a_restart), worker_problems(config),
          root_problems(config, path_)})
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

// An exception leaves everything as it was.
void Reload::put_in_force(config::Config next) {
    auto collector = exporter_.connect(collector_settings(next));
    assembly_.reload(std::move(next));
    const config::Config& now = assembly_.config();
    log_.level(log_level(now.log.level));
    front_.max_connections(now.clients.max_connections);
    if (replica_ != nullptr) {
        replica_->configure(clustered_queues(now, *started_.cluster));
        replica_->read_files_again();
    }
    exporter_.use(std::move(collector));
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
        if (used.contains(gate.name())) return;
        const auto warn = [&](const std::string& what) {
            warnings.push_back("queue " + gate.name() + " has no route any more, but " + what);
            log_.warn(warnings.back());
        };
        if (!figures.empty())
            warn(std::to_string(figures.in_flight) + " of its requests run and " +
                 std::to_string(figures.waiting) +
                 " wait: until they end, requests of other queues may run beside them");
        if (figures.paused())
            warn(
                "is paused: the pause holds no new request; pause the queue that its routes have "
                "now");
    });
}

}  // namespace ticketgate
