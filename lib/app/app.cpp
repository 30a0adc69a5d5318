#include "app/app.hpp"

#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "admin/pages.hpp"
#include "app/descriptors.hpp"
#include "app/signals.hpp"
#include "app/spool.hpp"
#include "app/tls.hpp"
#include "app/version.hpp"
#include "config/load.hpp"
#include "metrics/process.hpp"
#include "upstream/fcgi_upstream.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {
namespace {

namespace asio = boost::asio;

// How often a stopping process looks whether all is done.
constexpr auto look_again = std::chrono::milliseconds(20);
// What a stop waits for connections to be closed in an orderly way.
constexpr Duration stop_time = 2s;
// Requests listed when a stop cuts them.
constexpr std::size_t most_told = 32;

Level level_of(config::LogLevel level) {
    return static_cast<Level>(level);
}

queue::Order order_of(config::Order order) {
    return order == config::Order::ready ? queue::Order::ready : queue::Order::arrival;
}

GateSettings gate_settings(const config::Queue& queue) {
    GateSettings settings;
    settings.limits.max_in_flight = queue.max_in_flight;
    settings.limits.order = order_of(queue.order);
    settings.hold_timeout = queue.hold_timeout;
    settings.on_hold_timeout = queue.on_hold_timeout == config::OnHoldTimeout::keep
                                   ? OnHoldTimeout::keep
                                   : OnHoldTimeout::release;
    settings.worker_idle = queue.release == config::Release::worker_idle;
    return settings;
}

// As nginx's $proxy_host; what is behind a unix socket is on this machine.
std::string authority_of(const config::Upstream& upstream) {
    if (!upstream.unix_path.empty()) return "localhost";
    const bool ipv6 = upstream.host.find(':') != std::string::npos;
    const std::string host = ipv6 ? "[" + upstream.host + "]" : upstream.host;
    const bool usual = upstream.port == (upstream.https ? 443 : 80);
    return usual ? host : host + ":" + std::to_string(upstream.port);
}

UpstreamSettings upstream_settings(const config::Upstream& upstream) {
    UpstreamSettings settings;
    settings.host = upstream.host;
    settings.port = upstream.port;
    settings.unix_path = upstream.unix_path;
    settings.authority = authority_of(upstream);
    settings.max_idle = upstream.max_idle;
    settings.head_limits.max_head = upstream.max_head;
    settings.head_limits.max_headers = upstream.max_headers;
    settings.idle_timeout = upstream.idle_timeout;
    return settings;
}

FcgiSettings fcgi_settings(const config::Fcgi& fcgi) {
    FcgiSettings settings;
    settings.scripts.root = fcgi.root;
    settings.scripts.front = fcgi.script.value_or("");
    settings.scripts.index = fcgi.index;
    settings.scripts.split = fcgi.split;
    settings.scripts.params = fcgi.params;
    settings.keep_alive = fcgi.keep_alive;
    if (fcgi.status) {
        settings.status.emplace();
        settings.status->host = fcgi.status->host;
        settings.status->port = fcgi.status->port;
        settings.status->unix_path = fcgi.status->unix_path;
        settings.status_path = fcgi.status->path;
    }
    return settings;
}

admin::Limits admin_limits(const config::AdminLimits& limits) {
    return {limits.max_connections, limits.read_timeout, limits.write_timeout};
}

std::vector<std::unique_ptr<net::Loop>> make_loops(std::uint32_t threads) {
    std::vector<std::unique_ptr<net::Loop>> loops;
    for (std::uint32_t i = 0; i < threads; ++i) loops.push_back(std::make_unique<net::Loop>(i));
    return loops;
}

net::Endpoint endpoint_of(const config::Listen& listen) {
    if (!listen.unix_path.empty()) return *net::Endpoint::from_unix(listen.unix_path);
    return *net::Endpoint::from_ip(listen.host, listen.port);
}

// A reload cannot change what was bound or opened at the start.
bool needs_restart(const config::Config& now, const config::Config& next) {
    return !same_addresses(now.listen, next.listen) || now.admin != next.admin ||
           now.admin_limits != next.admin_limits || now.threads != next.threads ||
           now.spool != next.spool || now.ids.machine != next.ids.machine ||
           now.id_service != next.id_service || now.log.access_file != next.log.access_file;
}

}  // namespace

App::App(config::Config config, std::string path, config::Environment environment)
    : path_(std::move(path)),
      environment_(std::move(environment)),
      log_(level_of(config.log.level), config.log.max_buffer),
      control_(1),
      signals_(control_),
      poll_(control_),
      resolver_(control_),
      loops_(make_loops(config.threads)),
      spool_(spool_limits(config, memory_for(config.spool.directory))),
      access_file_(config.log.access_file == "-"
                       ? std::make_shared<LogFile>(STDOUT_FILENO)
                       : std::make_shared<LogFile>(config.log.access_file)),
      access_log_(access_file_, config.log.max_buffer,
                  [this](std::uint64_t lines, int error) { return tell_lost(lines, error); }),
      commons_{.log = log_, .spool = spool_, .access_file = access_log_},
      gates_(metrics_,
             [this, next = std::size_t{0}]() mutable -> net::Loop& {
                 return *loops_[next++ % loops_.size()];
             }),
      bound_(config.listen),
      running_(config),
      reload_successful_(metrics_.gauge("ticketgate_config_last_reload_successful",
                                        "1: the last config file was good.")) {
    if (const auto error = access_file_->opened())
        throw std::system_error(error.value(), std::system_category(),
                                "cannot open the access log " + config.log.access_file);
    // Named once, before any loop runs: the threads share it.
    std::vector<std::string> complaints;
    identities_ = identities_of(config, environment_, this_system(), complaints);
    commons_.machine = identities_.machine;
    commons_.input.limit(config.clients.max_input);
    commons_.connection_closed = [this] { front_->connection_closed(); };
    commons_.idle_appeared = [this] { front_->idle_appeared(); };
    const auto snapshot = build_snapshot(std::move(config));
    for (auto& loop : loops_) {
        stations_.push_back(std::make_unique<Station>(commons_, *loop, metrics_, snapshot));
        commons_.stations.push_back(stations_.back().get());
    }
    front_ = std::make_unique<Front>(commons_, running_.listen, running_.clients.max_connections,
                                     first_reserved_descriptor(most_descriptors()));
    if (running_.admin) {
        const auto lane = ids::Lane{running_.threads, running_.threads + 1};  // that of no loop
        admin_ids_ = std::make_unique<ids::Generator>(commons_.machine, lane);
        admin_ = std::make_unique<admin::Server>(
            control_, endpoint_of(*running_.admin), admin_limits(running_.admin_limits),
            admin::Pages{metrics_, gates_, admin_actions(), admin_ids_.get(),
                         !identities_.overlap()},
            [this](int error) { tell_admin_shut(error); });
    }
    if (running_.id_service) start_id_service(*running_.id_service);
    reload_successful_.set(1);
    note_process_metrics();
}

void App::start_id_service(const config::IdService& service) {
    noeq::Settings settings;
    settings.datacenter = identities_.id_service->datacenter;
    settings.worker = identities_.id_service->worker.value_or(0);
    settings.token = service.token;
    settings.max_connections = service.max_connections;
    settings.max_connections_per_client = service.max_connections_per_client;
    settings.shut_at = first_reserved_descriptor(most_descriptors());
    settings.login_timeout = service.login_timeout;
    settings.idle_timeout = service.idle_timeout;
    settings.write_timeout = service.write_timeout;
    settings.clock_wait = service.clock_wait;
    std::optional<noeq::StateFile> state;
    if (!service.state_file.empty()) state.emplace(service.state_file);
    auto source =
        std::make_unique<noeq::IdSource>(settings.datacenter, settings.worker, std::move(state));
    id_service_ = std::make_unique<noeq::Server>(endpoint_of(service.address), std::move(settings),
                                                 std::move(source), log_, metrics_);
}

void App::tell_admin_shut(int error) {
    const Time now = monotonic_now();
    if (now < tell_admin_at_) return;
    tell_admin_at_ = now + 1s;
    log_.error("the admin listener cannot accept a connection", {{"why", std::strerror(error)}});
}

// On the thread that writes the access log.
bool App::tell_lost(std::uint64_t lines, int error) {
    const char* const why = error == 0 ? "its reader is too slow" : std::strerror(error);
    log_.warn("the access log lost lines", {{"lines", lines}, {"why", why}});
    return true;
}

// Reverse order of construction, but sessions hold what others own: they are all gone before.
App::~App() {
    admin_.reset();
    id_service_.reset();
    front_.reset();
    for (auto& [name, known] : upstreams_)
        for (auto& loop : loops_) known.upstream->retire(*loop);
    stations_.clear();
}

void App::note_process_metrics() {
    metrics::register_process(metrics_);
    const auto dropped = [this](const char* name, auto& log) {
        metrics_.counter_fn("ticketgate_log_dropped_lines_total",
                            "Lines of a log that its reader did not take, or its file.",
                            {{"log", name}}, [&log] { return static_cast<double>(log.dropped()); });
    };
    dropped("access", access_log_);
    dropped("operational", log_);
    metrics_
        .gauge("ticketgate_build_info", "Always 1; the labels tell the build.",
               {{"version", version}})
        .set(1);
    metrics_.gauge_fn("ticketgate_spool_bytes", "Bytes of bodies spooled now.",
                      {{"place", "memory"}},
                      [this] { return static_cast<double>(spool_.memory()); });
    metrics_.gauge_fn("ticketgate_spool_bytes", "Bytes of bodies spooled now.", {{"place", "disk"}},
                      [this] { return static_cast<double>(spool_.disk()); });
    metrics_.gauge_fn("ticketgate_input_bytes",
                      "Bytes kept of requests that are not whole or wait behind another.", {},
                      [this] { return static_cast<double>(commons_.input.used()); });
}

// Backends that stay are the same objects as before: their connections stay with them.
App::KnownUpstreams App::build_upstreams(const config::Config& config) {
    KnownUpstreams out;
    for (const auto& [name, wanted] : config.upstreams) {
        auto security = security_of(wanted);
        const auto found = upstreams_.find(name);
        const bool stays = found != upstreams_.end() && found->second.config == wanted &&
                           found->second.security == security;
        out[name] = stays ? found->second
                          : KnownUpstream{wanted, std::move(security), make_upstream(wanted)};
    }
    return out;
}

std::shared_ptr<Upstream> App::make_upstream(const config::Upstream& upstream) {
    const auto settings = upstream_settings(upstream);
    if (upstream.fcgi)
        return std::make_shared<FcgiUpstream>(settings, fcgi_settings(*upstream.fcgi), resolver_,
                                              loops_.size());
    return std::make_shared<HttpUpstream>(settings, resolver_, loops_.size(),
                                          connect_to(upstream, loops_.size()));
}

// What can still fail comes first (the config is checked and ports are bound, but a file may have
// changed since it was looked at): it throws std::runtime_error and nothing has changed. Gates that
// stay are the same objects as before: their tickets stay with them.
std::shared_ptr<const Snapshot> App::build_snapshot(config::Config config) {
    auto tls = tls_servers(bound_, config);
    auto kept = build_upstreams(config);
    Snapshot::Gates gates;
    std::map<std::string, GateSettings> settings;
    for (const auto& [name, queue] : config.queues) {
        settings[name] = gate_settings(queue);
        gates[name] = gates_.find_or_make(name, settings[name]);
    }
    upstreams_ = std::move(kept);
    Snapshot::Upstreams upstreams;
    for (const auto& [name, known] : upstreams_) upstreams[name] = known.upstream;
    gates_.configure_all(settings);
    return std::make_shared<const Snapshot>(std::move(config), std::move(gates),
                                            std::move(upstreams), std::move(tls));
}

admin::Actions App::admin_actions() {
    admin::Actions actions;
    actions.ready = [this] { return ready_.load(); };
    actions.token = [this] { return running_.admin_token; };
    actions.release = [this](Gate& gate, std::uint64_t number) {
        const Release released = gate.release(number);
        if (released == Release::failed_open)
            log_.error("an operator released a slot though its backend may still run",
                       {{"queue", gate.name()}, {"number", number}});
        if (released == Release::not_begun)
            log_.warn("an operator released a slot before its request was sent to the backend",
                      {{"queue", gate.name()}, {"number", number}});
        return released;
    };
    actions.drain = [this] { drain(); };
    actions.reload = [this] { return do_reload(); };
    return actions;
}

std::optional<net::Endpoint> App::admin_address() const {
    return admin_ ? std::optional(admin_->local()) : std::nullopt;
}

std::optional<net::Endpoint> App::id_service_address() const {
    return id_service_ ? std::optional(id_service_->local()) : std::nullopt;
}

int App::run() {
    ignore_write_signals();
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) signals_.add(signal);
    wait_for_signal();
    auto threads = start_loops();
    for (const auto& address : addresses()) log_.info("listening", {{"address", address.text()}});
    if (const auto address = admin_address()) log_.info("admin", {{"address", address->text()}});
    if (id_service_) {
        id_service_->start();
        log_.info("id service", {{"address", id_service_->local().text()}});
    }
    release_signals();  // after the threads, which leave them to this one
    const auto guard = asio::make_work_guard(control_);
    run_control();
    id_service_.reset();
    for (auto& loop : loops_) loop->stop();
    threads.clear();
    log_.info("stopped");
    return 0;
}

// One that the system refuses ends those before it.
std::vector<std::jthread> App::start_loops() {
    std::vector<std::jthread> threads;
    try {
        for (auto& loop : loops_) threads.emplace_back([&loop] { loop->run(); });
    } catch (const std::exception&) {
        for (auto& loop : loops_) loop->stop();
        throw;
    }
    return threads;
}

// An exception (no memory) ends one piece of work, not the process. If that was a signal's handler,
// the program waits for the next signal again.
void App::run_control() {
    for (;;) {
        try {
            if (!hears_signals_) wait_for_signal();
            control_.run();
            return;
        } catch (const std::exception& e) {
            log_.error("work on the control thread ended by an exception", {{"what", e.what()}});
        }
    }
}

// ── signals ──

void App::wait_for_signal() {
    hears_signals_ = true;
    signals_.async_wait([this](const error_code& error, int signal) {
        hears_signals_ = false;
        if (error) return;
        on_signal(signal);
        wait_for_signal();
    });
}

void App::on_signal(int signal) {
    if (signal == SIGHUP) {
        (void)do_reload();  // told in the log
        return;
    }
    if (signal == SIGUSR1) {
        if (const auto error = access_file_->reopen())
            log_.error("cannot reopen the access log", {{"why", error.message()}});
        return;
    }
    phase_ == Phase::running ? begin_drain() : begin_stop();
}

void App::drain() {
    asio::post(control_, [this] { begin_drain(); });
}
void App::stop() {
    asio::post(control_, [this] { begin_stop(); });
}
void App::reload() {
    asio::post(control_, [this] { (void)do_reload(); });
}

// Null: it is told why not, and nothing has changed.
std::shared_ptr<const Snapshot> App::try_build(const config::Config& config,
                                               std::vector<std::string>& errors) {
    try {
        return build_snapshot(config);
    } catch (const std::runtime_error& why) {
        errors.emplace_back(why.what());
        return nullptr;
    }
}

// A bad file changes nothing: it is told why, in the log and to the caller.
std::vector<std::string> App::do_reload() {
    auto loaded = config::load_file(path_, environment_);
    if (loaded.config) {
        std::vector<std::string> complaints;  // told at the start
        const auto next = identities_of(*loaded.config, environment_, this_system(), complaints);
        for (const auto& problems :
             {reload_problems(*loaded.config, identities_, next),
              tls_problems(*loaded.config, wall_now()), spool_problems(*loaded.config)})
            loaded.problems.insert(loaded.problems.end(), problems.begin(), problems.end());
    }
    std::vector<std::string> errors;
    for (const auto& problem : loaded.problems) {
        if (problem.warning) log_.warn(config::print(problem));
        if (!problem.warning) errors.push_back(config::print(problem));
    }
    std::shared_ptr<const Snapshot> snapshot;
    if (errors.empty()) snapshot = try_build(*loaded.config, errors);
    reload_successful_.set(snapshot ? 1 : 0);
    if (!snapshot) {
        for (const auto& error : errors) log_.error(error);
        log_.error("the config is not loaded; the old one stays", {{"file", path_}});
        return errors;
    }
    if (needs_restart(running_, *loaded.config))
        log_.warn(
            "listen, admin, threads, spool, ids.machine, id_service and log.access_file change "
            "with a restart "
            "only");
    running_ = *std::move(loaded.config);
    log_.level(level_of(running_.log.level));
    front_->max_connections(running_.clients.max_connections);
    commons_.input.limit(running_.clients.max_input);
    for (auto& station : stations_)
        station->loop.post([s = station.get(), snapshot] { s->use(snapshot); });
    log_.info("config loaded", {{"file", path_}});
    return {};
}

// Readiness fails, nothing new comes in, the line finishes.
void App::begin_drain() {
    if (phase_ != Phase::running) return;
    phase_ = Phase::draining;
    phase_ends_ = monotonic_now() + running_.drain_timeout;
    ready_ = false;
    log_.info("draining", {{"connections", commons_.connections.load()}});
    loops_.front()->post([this] { front_->close(); });
    for (auto& station : stations_) station->loop.post([s = station.get()] { s->drain(); });
    look_later();  // so that whoever asked for it over the admin listener gets an answer
}

void App::begin_stop() {
    ready_ = false;
    phase_ = Phase::stopping;
    phase_ends_ = monotonic_now() + stop_time;
    tell_what_still_runs();
    loops_.front()->post([this] { front_->close(); });
    for (auto& station : stations_) station->loop.post([s = station.get()] { s->stop(); });
    look_if_done();
}

bool App::done() const {
    return commons_.connections == 0 && commons_.runs == 0;
}

void App::look_if_done() {
    if (done()) return control_.stop();
    if (monotonic_now() >= phase_ends_) {
        if (phase_ == Phase::stopping) return control_.stop();
        log_.warn("drain_timeout passed; stopping",
                  {{"connections", commons_.connections.load()}, {"runs", commons_.runs.load()}});
        return begin_stop();
    }
    look_later();
}

// What is cut may go on in its backend, where the next process will not know of it.
void App::tell_what_still_runs() {
    std::size_t told = 0, untold = 0;
    gates_.for_each([&](const Gate& gate) {
        for (const auto& running : gate.view(0).in_flight) {
            if (told == most_told) {
                ++untold;
                continue;
            }
            ++told;
            log_.error(
                "cut while it ran; its backend may go on with it",
                {{"queue", gate.name()},
                 {"request_id", running.request_id},
                 {"number", running.number},
                 {"held_ms", std::chrono::duration_cast<milliseconds>(running.since).count()}});
        }
    });
    if (untold != 0) log_.error("more were cut", {{"requests", untold}});
}

void App::look_later() {
    poll_.expires_after(look_again);
    poll_.async_wait([this](const error_code& error) {
        if (!error) look_if_done();
    });
}

}  // namespace ticketgate
