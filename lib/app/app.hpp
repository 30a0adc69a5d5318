// The whole process: makes its parts in order, runs them, and ends them in reverse order. Owned by
// main. The control thread (the caller of run) handles signals, the admin listener and reloads.
// Each loop has its own thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/pages.hpp"
#include "admin/server.hpp"
#include "app/certificates.hpp"
#include "app/config_watch.hpp"
#include "app/control.hpp"
#include "app/identities.hpp"
#include "app/live_page.hpp"
#include "app/notify.hpp"
#include "app/pauses.hpp"
#include "app/predecessor.hpp"
#include "app/reload.hpp"
#include "app/replica.hpp"
#include "app/shutdown.hpp"
#include "app/successor.hpp"
#include "config/config.hpp"
#include "config/environment.hpp"
#include "log/log_writer.hpp"
#include "net/loop_thread.hpp"
#include "net/resolver.hpp"
#include "noeq/server.hpp"
#include "otlp/exporter.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"
#include "spawn/supervisor.hpp"

namespace ticketgate {

class App {
 public:
    /// Binds every port; throws std::system_error that names a port it cannot bind. Reloads use
    /// `path` and `environment`. `watch`: changes of the config's files are reloads.
    /// `inheritance`: sockets that it was given, and the process that it takes over from.
    App(const config::Config& config, std::string path, config::Environment environment,
        const FirstRead& read = {}, bool watch = false, Inheritance inheritance = {});
    ~App();

    /// Runs until a signal or stop(). Returns the process's exit code.
    int run();

    // Any thread; the signals do the same.
    void drain();
    void stop();
    void reload();

    std::vector<net::Endpoint> addresses() const { return front_.addresses(); }
    std::optional<net::Endpoint> admin_address() const;
    std::optional<net::Endpoint> id_service_address() const;
    std::size_t connections() const { return assembly_.commons().connections; }

 private:
    GateRegistry::Permits permits() const;
    void ask_backend(const std::string& queue, const cluster::Prior& lost);
    void join_lines(const config::Config& config);
    std::string_view kept_elsewhere(const std::string& queue) const;
    void start_admin(const config::Config& config);
    void tell_admin_shut(int error);
    bool tell_lost(const LogWriter::Loss& loss);
    void tell_start();
    void tell_addresses();
    void tell_config();
    admin::Reloaded reload_now(admin::ReadBy by);
    admin::Reloaded reload_and_follow(admin::ReadBy by);
    std::vector<net::LoopThread> make_threads();
    void hurry();
    void end_workers();
    void on_signal(int signal);
    void go_on();
    template <class How>
    void end(How how);
    void reopen_access_log();
    Released release(Gate& gate, const ToRelease& what);
    admin::Actions admin_actions();
    admin::Standing standing() const;
    std::vector<admin::UpstreamState> upstreams() const;
    void note_certificates();
    void register_upgrade_metrics();

    // app_upgrade.cpp
    std::int64_t line_started_s() const;
    void take_sockets();
    void note_old_ended(bool all);
    void refuse_left_sockets() const;
    std::optional<net::Endpoint> id_service_socket() const;
    void end_left_sockets();
    void begin_id_service(bool runs);
    void start_id_service();
    void end_id_service();
    HandOver steps_of_hand_over();
    bool keep_id_socket();
    void hand_over(pid_t successor);
    bool take_back();
    void take_over();
    void tell_lost_files();
    void adopt_guest(Packet& packet);
    upgrade::Left left() const;
    void tell_end();
    void adopt_pause(const std::string& queue, Time until);
    void read_missed_change();
    std::vector<int> listening() const;
    std::string why_no_upgrade() const;
    std::string upgrade();
    admin::Upgrading upgrading() const;
    std::string_view elsewhere(const std::string& queue) const;
    admin::Place place(const std::string& queue) const;
    void tell_of_queues_there(std::vector<std::string>& warnings);
    bool tell_pause(const std::string& queue, Time until);

    PassedSockets passed_;
    Descriptor link_;  // until predecessor_ has it
    const std::uint32_t side_;
    const std::int64_t inherited_line_s_;         // of the old process; 0: there is none
    std::optional<admin::ReadBy> missed_change_;  // of a file, while an upgrade was under way
    Log log_;
    metrics::Registry metrics_;
    Control control_;
    net::Resolver resolver_;
    const Loops loops_;
    const std::shared_ptr<LogFile> access_file_;
    LogWriter access_log_;
    const Identities identities_;
    const Notify notify_;
    spawn::Supervisor supervisor_;
    const std::unique_ptr<replica::Replica> replica_;  // null: the config has no cluster
    Assembly assembly_;
    otlp::Exporter exporter_;
    Front front_;
    Reload reload_;
    std::unique_ptr<ConfigWatch> config_watch_;
    Shutdown shutdown_;
    Pauses pauses_;
    std::unique_ptr<ids::Generator> admin_ids_;
    std::optional<net::LoopThread> id_thread_;  // until the service has it
    std::unique_ptr<noeq::Server> id_service_;
    const WallTime started_ = wall_now();
    Certificates certificates_{control_, log_, metrics_};
    std::shared_ptr<admin::Live> live_;
    std::unique_ptr<admin::Server> admin_;
    Successor successor_;
    std::unique_ptr<Predecessor> predecessor_;  // null: there was none
    bool knew_others_ = true;  // when it handed over: no script of a process before it may run on
    Time tell_admin_at_{};
};

}  // namespace ticketgate
