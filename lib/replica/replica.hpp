// One replica of a cluster: looks at the store, keeps itself listed there, and drives the keepers
// of its queues (CLUSTER.md section 4). It has a thread of its own, so that a store that hangs
// delays no request, and a request no renewal. Owned by App. Its end without drain() is a crash for
// the other replicas: their proof of what ran here is missing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "log/log.hpp"
#include "replica/line.hpp"
#include "replica/line_view.hpp"
#include "replica/shared_address.hpp"
#include "replica/store.hpp"
#include "replica/telling.hpp"

namespace ticketgate::replica {

struct Queue {
    cluster::Keeper::Settings keeper;
    std::string text;  ///< its settings, which all replicas should have alike
};
using Queues = std::map<std::string, Queue>;

struct Settings {
    std::string cluster;  ///< its name
    cluster::Instance self;
    std::string version;
    std::string options;  ///< of commands about this cluster, for the log
    etcd::Settings store;
    std::string secret;  ///< of the replicas
    bool peers_speak_tls = false;
    net::TlsClientSettings peer_tls;
    seconds lease = 5s;
    Queues queues;
    Timed timed = nullptr;  ///< told of each call of the store, on the replica's thread
};

class Replica {
 public:
    /// Throws std::runtime_error that names a bad file.
    Replica(Settings settings, Log& log);
    ~Replica();
    Replica(const Replica&) = delete;
    Replica& operator=(const Replica&) = delete;

    bool has(const std::string& queue) const { return lines_.contains(queue); }
    /// The permit of this queue, for its gate.
    Permit& permit(const std::string& queue) { return line_of(queue); }
    /// Asks the backend whether all of this lost term has ended; see workers_idle(). Called on the
    /// replica's thread, once for a term. Set before start().
    using AskBackend = std::function<void(const std::string& queue, const cluster::Prior&)>;
    void ask_backend_with(AskBackend ask) { ask_backend_ = std::move(ask); }
    /// The backend has shown that nothing of this term runs any more. Any thread.
    void workers_idle(const std::string& queue, cluster::Epoch term);

    /// Before start().
    void join(const std::string& queue, std::shared_ptr<LocalGate> gate);
    void start();
    /// Gives up each line when it is finished. Any thread.
    void drain();
    /// Grants nothing from now on. True: nothing runs here that was granted in any line. Any
    /// thread.
    bool stop_granting();
    /// After drain(): it keeps no line, and nothing runs here for which it owes the word; or
    /// nothing runs here, and the store is refused until a restart.
    bool is_rid() const;
    /// The process ends: logs each line that it could not give up. Any thread.
    void tell_kept_lines() const;
    /// New settings of its queues, at a reload; others are left out. Any thread.
    void configure(Queues queues);
    /// The files of its TLS to other replicas may have changed. Any thread.
    void read_files_again();
    /// Ends its thread; nothing is granted or written any more. The permits stay.
    void stop();

    // What an operator sees. Any thread.
    LineView view(const std::string& queue) const;
    /// Why the store is not used, or takes no writes; empty: all is well.
    std::string problem() const;
    /// It can be read, and takes no writes until it has room.
    bool store_is_full() const;
    /// The queues of which another replica has other settings.
    std::set<std::string> differing() const;
    /// Another live replica has this one's address.
    bool shares_address() const;
    /// For how long it may still grant without the store.
    Duration sure() const;
    /// What the store showed last; null: nothing so far.
    std::shared_ptr<const cluster::Contents> contents() const;
    const cluster::Instance& self() const { return settings_.self; }
    const std::string& cluster_name() const { return settings_.cluster; }

 private:
    template <class T>
    using Awaitable = etcd::Awaitable<T>;
    Line& line_of(const std::string& queue) { return *lines_.at(queue); }
    void run(Awaitable<void> work);
    Awaitable<void> look_again_and_again();
    Awaitable<void> announce_again_and_again();
    Awaitable<void> tick();
    Awaitable<void> write(Line& line, cluster::Write write);
    Awaitable<void> ask(Line& line, cluster::Prior prior, cluster::Epoch by);
    void ask_deposed(Line& line);
    std::shared_ptr<etcd::Node> peer(const std::string& address);
    void tell_peer(const Line& line, const std::string& address, const std::string& why);
    Awaitable<void> pause(boost::asio::steady_timer& timer, Time until);
    std::string judged(const std::string& why);
    void apply(const Look& look, std::uint64_t number, const std::string& why);
    void drive(Line& line);
    void drive_all();
    bool is_handing_over() const;
    bool is_rid_of(const Line& line) const;
    void look_now();
    void publish(const Line& line);
    void compare(const cluster::Contents& contents);
    void compare_address(const cluster::Contents& contents);
    void tell(const std::string& problem);
    void tell_write(const std::string& problem);
    void note_problem();
    void tell_problem();
    void note_space();

    boost::asio::io_context io_;  // the first member: what runs on it is destroyed before it
    Log& log_;
    const Settings settings_;
    const Duration between_looks_;
    Store store_;
    std::map<std::string, std::unique_ptr<Line>> lines_;
    // By address. Shared with the questions that are under way.
    std::map<std::string, std::shared_ptr<etcd::Node>> peers_;
    std::map<std::string, std::string> told_;  // of peers, by address
    cluster::Memory memory_;
    BootTime sure_until_{};
    std::uint64_t looks_ = 0;  // begun
    Time look_begun_{};
    bool look_wanted_ = false, look_failed_ = false, usable_ = false;
    AskBackend ask_backend_;
    std::string refused_;  // why this store is never believed again; empty: it is
    std::string look_problem_, write_problem_;  // of the last of each; empty: it succeeded
    Telling telling_;
    SharedAddress sharing_;
    boost::asio::steady_timer next_look_, next_announce_, next_tick_;

    mutable std::mutex seen_lock_;  // guards what operators see
    std::map<std::string, LineView> seen_;
    std::string problem_;
    bool seen_full_ = false;
    std::set<std::string> differing_;
    std::string shares_with_;  // its address; empty: nobody
    std::shared_ptr<const cluster::Contents> contents_;
    BootTime seen_sure_until_{};

    std::jthread thread_;
};

}  // namespace ticketgate::replica
