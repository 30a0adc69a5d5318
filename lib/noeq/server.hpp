// The id service: noeqd's protocol on a port of its own, served by a loop and a thread of its own,
// so that a wait for the next millisecond or a slow disk delays no request of the proxy. Owned by
// App; made on the control thread, all else on its own thread.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "log/log.hpp"
#include "metrics/registry.hpp"
#include "net/client_counts.hpp"
#include "net/listener.hpp"
#include "net/loop.hpp"
#include "net/loop_thread.hpp"
#include "noeq/source.hpp"

namespace ticketgate::noeq {

/// A connection, as the server sees it.
class Guest : public boost::intrusive::list_base_hook<> {
 public:
    using Hook = boost::intrusive::list_member_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

    virtual void look_up() = 0;  ///< called when the server stops, or sends it away

    Hook may_go;                          ///< linked while it may be sent away for a newcomer
    std::string client;                   ///< the client that it counts for; empty: none
    ClientCounts::Place place = nullptr;  ///< of that client
    bool sent_away = false;               ///< its place is taken; it ends when it would wait

 protected:
    ~Guest() = default;
};

struct Settings {
    std::uint32_t datacenter = 0, worker = 0;  ///< 0-31
    std::string token;                         ///< empty: no login
    std::uint32_t max_connections = 1000;      ///< above, the one that is idle for longest ends
    std::uint32_t max_connections_per_client = 100;  ///< the same, among the client's own
    int shut_at = net::Listener::no_limit;           ///< as for a Listener
    milliseconds login_timeout = 10s;
    milliseconds idle_timeout = 10min;
    milliseconds write_timeout = 10s;
    milliseconds clock_wait = 2s;  ///< how far behind the last id the clock may be, to wait for it
};

struct Metrics {
    explicit Metrics(metrics::Registry& registry);
    metrics::Counter &ids, &requests, &accepted, &bad_token, &bad_request, &clock_behind, &no_state,
        &timed_out, &per_client, &oldest_idle, &clock_waits;
    metrics::Gauge& connections;
};

class Server {
 public:
    /// Listens on a socket from `open`, which may throw. Serves from start() on.
    Server(const net::Endpoint& at, Settings settings, std::unique_ptr<IdSource> source, Log& log,
           metrics::Registry& registry, const net::OpenListener& open = net::open_listener);
    /// Ends every connection and the thread.
    ~Server();
    void start(net::LoopThread thread = {});

    const net::Endpoint& local() const { return local_; }
    int descriptor() const { return descriptor_; }
    /// The file of the unix socket. Use it before start(), or just before the end.
    net::SocketFile& file() { return listener_->file(); }

    // For its connections, on its thread.
    net::Loop& loop() { return loop_; }
    const Settings& settings() const { return settings_; }
    IdSource& source() { return *source_; }
    Metrics& metrics() { return metrics_; }
    bool stopping() const { return stopping_; }
    void join(Guest& guest);
    void leave(Guest& guest);
    /// The guest has a request at hand: it keeps its place.
    void busy(Guest& guest);
    /// All that the guest asked for is sent.
    void idle(Guest& guest) { lets_go(guest, idle_); }
    /// The guest does not take its ids at once.
    void slow(Guest& guest) { lets_go(guest, slow_); }
    void refused_by(IdSource::Made why, milliseconds behind);
    /// At most one log line a second: any client can cause them.
    void no_means(int error);
    void complain(std::string_view what, std::string_view of);

 private:
    using Guests =
        boost::intrusive::list<Guest,
                               boost::intrusive::member_hook<Guest, Guest::Hook, &Guest::may_go>,
                               boost::intrusive::constant_time_size<false>>;

    void accepted(Descriptor& descriptor, const net::Endpoint& peer);
    ClientCounts::Place place_for(const std::string& client);
    bool nobody_may_go() const { return idle_.empty() && slow_.empty(); }
    void lets_go(Guest& guest, Guests& among);
    bool send_away_first();
    bool send_away_first_of(const std::string& client);
    void send_away(Guest& guest);
    void give_back(Guest& guest);
    void update();
    void stop();

    const Settings settings_;
    std::unique_ptr<IdSource> source_;
    Log& log_;
    Metrics metrics_;
    net::Loop loop_;
    std::unique_ptr<net::Listener> listener_;
    const net::Endpoint local_;
    const int descriptor_;
    boost::intrusive::list<Guest> guests_;
    // Those that may be sent away, the oldest first; no slow one before an idle one.
    Guests idle_;            // without a request at hand
    Guests slow_;            // their ids wait to be taken
    ClientCounts clients_;   // of the connections in open_
    std::size_t open_ = 0;   // accepted, though perhaps not yet in guests_
    std::size_t going_ = 0;  // sent away, though not yet gone
    bool stopping_ = false;
    net::Call stop_{[this] { stop(); }};
    Time quiet_until_{};
    std::optional<net::LoopThread> thread_;  // from start() on
};

}  // namespace ticketgate::noeq
