#include "app/app.hpp"

#include <unistd.h>

#include <csignal>
#include <system_error>

#include "app/cluster_metrics.hpp"
#include "app/descriptors.hpp"
#include "app/id_service.hpp"
#include "app/memory.hpp"
#include "app/process_metrics.hpp"
#include "app/signals.hpp"
#include "app/tracing.hpp"
#include "app/version.hpp"
#include "base/spare_memory.hpp"

namespace ticketgate {
namespace {

constexpr std::size_t most_told = 50;

// The end destroys Asio's coroutines, which allocate then.
constexpr Duration longest_wait_at_end = 10s;

std::shared_ptr<LogFile> open_access_log(const std::string& path) {
    if (path == "-") return std::make_shared<LogFile>(STDOUT_FILENO);
    auto file = std::make_shared<LogFile>(path);
    if (const auto error = file->opened())
        throw std::system_error(error.value(), std::system_category(),
                                "cannot open the access log " + path);
    return file;
}

// The identities of this start. `check` and commands::serve have already reported their problems.
Identities identities_now(const config::Config& config, const config::Environment& environment,
                          std::uint32_t side) {
    std::vector<std::string> complaints;
    auto identities = identities_of(config, environment, this_system(), complaints);
    identities.machine.side = side;
    return identities;
}

std::vector<net::Loop*> pointers(const Loops& loops) {
    std::vector<net::Loop*> out;
    for (const auto& loop : loops) out.push_back(loop.get());
    return out;
}

}  // namespace

App::App(const config::Config& config, std::string path, config::Environment environment,
         const FirstRead& read, bool watch, Inheritance inheritance)
    : passed_(std::move(inheritance.sockets)),
      link_(std::move(inheritance.link)),
      side_(inheritance.side),
      inherited_line_s_(inheritance.line_started_s),
      log_(log_level(config.log.level), config.log.max_buffer, read.warnings),
      control_(log_, [this](int signal) { on_signal(signal); }),
      resolver_(control_.io()),
      loops_(make_loops(config.threads)),
      access_file_(open_access_log(config.log.access_file)),
      access_log_(access_file_, config.log.max_buffer,
                  [this](const LogWriter::Loss& loss) { return tell_lost(loss); }),
      identities_(identities_now(config, environment, side_)),
      notify_(environment),
      supervisor_(control_.io(), log_, metrics_, pointers(loops_),
                  most_workers_beside_requests(most_descriptors())),
      replica_(make_replica(config, path, log_, metrics_)),
      assembly_(config, {.loops = loops_,
                         .resolver = resolver_,
                         .metrics = metrics_,
                         .log = log_,
                         .access_log = access_log_,
                         .memory = memory_for(config.spool.directory),
                         .machine = identities_.machine,
                         .permits = permits(),
                         .supervisor = &supervisor_}),
      exporter_(control_.io(), assembly_.commons().traces, log_, metrics_,
                this_service(identities_.machine)),
      front_(assembly_.commons(), listeners_of(config), config.listen.size(),
             config.clients.max_connections, first_reserved_descriptor(most_descriptors()),
             [this](const net::Endpoint& at) { return passed_.open(at); }),
      reload_(std::move(path), std::move(environment), config, read, identities_, log_, metrics_,
              assembly_, front_, replica_.get(), exporter_),
      shutdown_(control_, log_, assembly_, front_, notify_, replica_.get(), exporter_),
      pauses_(control_, log_, assembly_.gates(),
              [this](const std::string& queue, Time until) { return tell_pause(queue, until); }),
      successor_(control_, log_, assembly_.gates(), steps_of_hand_over()) {
    Commons& commons = assembly_.commons();
    commons.connection_closed = [this] { front_.connection_closed(); };
    commons.idle_appeared = [this] { front_.idle_appeared(); };
    commons.look_for_clients = [this] { front_.look_for_clients(); };
    control_.after_failure([this] { go_on(); });
    shutdown_.before_end([this] { tell_end(); });
    exporter_.use(exporter_.connect(collector_settings(config)));
    note_certificates();
    if (config.admin) start_admin(config);
    take_sockets();
    register_process_metrics(metrics_, log_, access_log_, assembly_);
    register_upgrade_metrics();
    join_lines(config);
    if (replica_) register_cluster_metrics(metrics_, *replica_, config);
    if (!watch) return;
    config_watch_ = std::make_unique<ConfigWatch>(
        control_.io(), log_, [this] { (void)reload_now(admin::ReadBy::watch); });
    config_watch_->follow(reload_.files(), read.at);
}

App::~App() {
    if (live_) live_->stop();
}

// Called on the thread that writes the access log.
bool App::tell_lost(const LogWriter::Loss& loss) {
    log_.warn("the access log lost lines", {{"lines", loss.lines}, {"why", loss.why()}});
    return true;
}

std::optional<net::Endpoint> App::admin_address() const {
    return admin_ ? std::optional(admin_->local()) : std::nullopt;
}

std::optional<net::Endpoint> App::id_service_address() const {
    return id_service_ ? std::optional(id_service_->local()) : std::nullopt;
}

int App::run() {
    ignore_write_signals();
    control_.hear_signals();
    auto threads = make_threads();
    if (id_service_) start_id_service();
    if (replica_) replica_->start();
    if (predecessor_) take_over();
    // Nothing may fail from here on: clients are accepted, and the old process has given way.
    if (admin_) control_.surely([this] { admin_->start(); });
    for (std::size_t i = 0; i < loops_.size(); ++i) threads[i].run(*loops_[i]);
    constexpr std::string_view otherwise = "no memory to tell all of the start or the end";
    control_.tell_if_possible([this] { tell_start(); }, otherwise);
    control_.tell_if_possible([this] { assembly_.probe_status_pages(); }, otherwise);
    notify_.ready();
    control_.run();
    if (replica_) replica_->stop();  // what is cut from here on must not pass for finished
    if (live_) live_->stop();
    id_service_.reset();
    for (const auto& loop : loops_) loop->stop();
    threads.clear();
    control_.tell_if_possible([this] { successor_.tell_losses(); }, otherwise);
    end_workers();
    metrics_.close();  // before thousands of queues leave it one by one
    log_.info("stopped");
    wait_for_memory_on_this_thread(longest_wait_at_end);
    return 0;
}

// The control thread goes on meanwhile: it hears the next signal, and reads what workers still
// write.
void App::end_workers() {
    shutdown_.ends_workers();
    control_.surely([this] { supervisor_.end([this] { control_.stop(); }); });
    control_.surely([this] { hurry(); });
    while (!supervisor_.ended()) control_.run_again();
}

// The id service begins later in an upgrade, when the old one has ended.
std::vector<net::LoopThread> App::make_threads() {
    if (assembly_.config().id_service) id_thread_.emplace();
    return std::vector<net::LoopThread>(loops_.size());
}

void App::tell_start() {
    log_.info("ticketgate starts", {{"version", version}, {"file", reload_.path()}});
    tell_addresses();
    tell_config();
}

void App::tell_addresses() {
    for (const auto& address : addresses()) log_.info("listening", {{"address", address.text()}});
    if (const auto address = admin_address()) log_.info("admin", {{"address", address->text()}});
    if (const auto address = id_service_address())
        log_.info("id service", {{"address", address->text()}});
}

// Logs at most a screen or two, even for a large file.
void App::tell_config() {
    const auto each = [this](const auto& named, const auto& tell) {
        std::size_t told = 0;
        for (const auto& [name, one] : named) {
            if (++told > most_told) break;
            tell(name, one);
        }
        if (named.size() > most_told) log_.info("and more", {{"number", named.size() - most_told}});
    };
    const config::Config& config = assembly_.config();
    each(config.queues, [this](const std::string& name, const config::Queue& queue) {
        log_.info("queue", {{"name", name}, {"max_in_flight", queue.max_in_flight}});
    });
    each(config.upstreams, [this](const std::string& name, const config::Upstream& upstream) {
        log_.info("upstream", {{"name", name}, {"url", upstream.url}});
    });
}

admin::Reloaded App::reload_now(admin::ReadBy by) {
    if (!shutdown_.ready()) return reload_and_follow(by);  // systemd already knows of the stop
    notify_.reloading();
    auto result = reload_and_follow(by);
    notify_.ready();
    note_certificates();
    return result;
}

// The watch follows other files, or other folders behind the same links, from here on.
admin::Reloaded App::reload_and_follow(admin::ReadBy by) {
    if (shutdown_.over()) return {{"ticketgate ends"}};
    if (successor_.under_way()) {
        if (by != admin::ReadBy::command) missed_change_ = by;
        if (by == admin::ReadBy::signal && successor_.phase() == Successor::Phase::starting)
            log_.info("an upgrade is under way: the new process reads its config again");
        else if (by != admin::ReadBy::watch)
            log_.error("an upgrade is under way; reload the new process");
        return {{"an upgrade is under way; reload the new process"}};
    }
    const WallTime read_at = wall_now();
    auto result = reload_.run(by);
    if (result.problems.empty()) tell_of_queues_there(result.warnings);
    pauses_.wait_for_next();  // a new gate may have begun with a pause
    if (config_watch_) config_watch_->follow(reload_.files(), read_at);
    return result;
}

void App::on_signal(int signal) {
    if (signal == SIGHUP) return (void)reload_now(admin::ReadBy::signal);  // it logs the result
    if (signal == SIGUSR1) return reopen_access_log();
    if (signal == SIGUSR2) return (void)upgrade();  // it logs the result
    if (signal == SIGCHLD) return supervisor_.reap(), successor_.reap();
    end([this] { shutdown_.on_signal(); });
    hurry();
}

void App::hurry() {
    if (shutdown_.over() && shutdown_.at_once()) supervisor_.hurry();
}

// Whatever plans its own next turn on the control thread may have been cut before it did so.
void App::go_on() {
    shutdown_.go_on();
    hurry();
    pauses_.wait_for_next();
    supervisor_.reap();
    successor_.go_on();
    if (predecessor_) {
        predecessor_->go_on();
        if (shutdown_.drains()) predecessor_->tell_drain();
    }
    if (admin_) admin_->go_on();
    if (live_) live_->go_on();
    if (config_watch_) config_watch_->go_on();
    exporter_.go_on();
}

// The process before this one, if it still runs, must not accept again. It is told after the end
// has begun here: where that fails, go_on() tells it.
template <class How>
void App::end(How how) {
    how();
    if (predecessor_) predecessor_->tell_drain();
}

void App::reopen_access_log() {
    if (const auto error = access_file_->reopen())
        log_.error("cannot reopen the access log; lines go on into the file that is open",
                   {{"file", assembly_.config().log.access_file}, {"why", error.message()}});
}

void App::drain() {
    control_.post([this] { end([this] { shutdown_.drain(); }); });
}
void App::stop() {
    control_.post([this] { end([this] { shutdown_.stop(); }); });
}
void App::reload() {
    control_.post([this] { (void)reload_now(admin::ReadBy::command); });
}

}  // namespace ticketgate
