// The whole process: builds everything in order, runs it, stops it in reverse. Owned by main. The
// control thread (the caller of run) has the signals, the admin listener and reloads; each loop has
// a thread.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "admin/pages.hpp"
#include "admin/server.hpp"
#include "app/identities.hpp"
#include "config/config.hpp"
#include "config/environment.hpp"
#include "gate/gate_registry.hpp"
#include "log/log_writer.hpp"
#include "net/loop.hpp"
#include "net/resolver.hpp"
#include "noeq/server.hpp"
#include "proxy/front.hpp"
#include "proxy/station.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

class App {
 public:
    /// Binds every port; throws std::system_error that names the one that cannot be had. `path` and
    /// `environment` are for reloads.
    App(config::Config config, std::string path, config::Environment environment);
    ~App();

    /// Until a signal ends it, or stop(). The process's exit code.
    int run();

    // Any thread; what the signals do.
    void drain();
    void stop();
    void reload();

    std::vector<net::Endpoint> addresses() const { return front_->addresses(); }
    std::optional<net::Endpoint> admin_address() const;
    std::optional<net::Endpoint> id_service_address() const;
    std::size_t connections() const { return commons_.connections; }

 private:
    struct KnownUpstream {
        config::Upstream config;
        std::string security;  ///< what connecting depends on beside it: contents of files
        std::shared_ptr<Upstream> upstream;
    };
    using KnownUpstreams = std::map<std::string, KnownUpstream>;
    KnownUpstreams build_upstreams(const config::Config& config);
    std::shared_ptr<Upstream> make_upstream(const config::Upstream& upstream);
    std::shared_ptr<const Snapshot> build_snapshot(config::Config config);
    void start_id_service(const config::IdService& service);
    void note_process_metrics();
    void tell_admin_shut(int error);
    bool tell_lost(std::uint64_t lines, int error);
    void wait_for_signal();
    std::vector<std::jthread> start_loops();
    void run_control();
    void on_signal(int signal);
    std::vector<std::string> do_reload();
    std::shared_ptr<const Snapshot> try_build(const config::Config& config,
                                              std::vector<std::string>& errors);
    void begin_drain();
    void begin_stop();
    void tell_what_still_runs();
    void look_if_done();
    void look_later();
    admin::Actions admin_actions();
    bool done() const;

    const std::string path_;
    const config::Environment environment_;
    Log log_;
    metrics::Registry metrics_;
    boost::asio::io_context control_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer poll_;
    net::Resolver resolver_;
    std::vector<std::unique_ptr<net::Loop>> loops_;
    http::SpoolBudget spool_;
    std::shared_ptr<LogFile> access_file_;
    LogWriter access_log_;
    Identities identities_;  // of the start; no reload changes them
    Commons commons_;
    GateRegistry gates_;
    KnownUpstreams upstreams_;
    const std::vector<config::Listen> bound_;  // as at the start
    config::Config running_;                   // what was last loaded
    std::vector<std::unique_ptr<Station>> stations_;
    std::unique_ptr<Front> front_;
    std::unique_ptr<ids::Generator> admin_ids_;
    std::unique_ptr<admin::Server> admin_;
    std::unique_ptr<noeq::Server> id_service_;
    metrics::Gauge& reload_successful_;
    std::atomic<bool> ready_{true};
    enum class Phase { running, draining, stopping } phase_ = Phase::running;
    Time phase_ends_{}, tell_admin_at_{};
    bool hears_signals_ = false;  // control thread
};

}  // namespace ticketgate
