// The id service: noeqd's protocol on a port of its own, served by a loop and a thread of its own,
// so that a full millisecond or a slow disk holds up no request of the proxy. Owned by App; made on
// the control thread, everything else on its own.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "log/log.hpp"
#include "metrics/registry.hpp"
#include "net/listener.hpp"
#include "net/loop.hpp"
#include "noeq/source.hpp"

namespace ticketgate::noeq {

/// A connection, as the server knows it.
class Guest : public boost::intrusive::list_base_hook<> {
 public:
    virtual void look_up() = 0;  ///< the server stops

 protected:
    ~Guest() = default;
};

struct Settings {
    std::uint32_t datacenter = 0, worker = 0;  ///< 0-31
    std::string token;                         ///< empty: none is asked for
    std::uint32_t max_connections = 1000;      ///< more wait in the backlog
    int shut_at = net::Listener::no_limit;     ///< as of a listener
    milliseconds login_timeout = 10s;
    milliseconds idle_timeout = 10min;
    milliseconds write_timeout = 10s;
    milliseconds clock_wait = 2s;  ///< how far behind the last id the clock is waited for
};

struct Metrics {
    explicit Metrics(metrics::Registry& registry);
    metrics::Counter &ids, &requests, &accepted, &bad_token, &bad_request, &clock_behind, &no_state,
        &timed_out, &clock_waits;
    metrics::Gauge& connections;
};

class Server {
 public:
    /// Binds; throws std::system_error that names the address. Serves from start() on.
    Server(const net::Endpoint& at, Settings settings, std::unique_ptr<IdSource> source, Log& log,
           metrics::Registry& registry);
    /// Ends every connection and the thread.
    ~Server();
    void start();

    const net::Endpoint& local() const { return local_; }

    // For its connections, on its thread.
    net::Loop& loop() { return loop_; }
    const Settings& settings() const { return settings_; }
    IdSource& source() { return *source_; }
    Metrics& metrics() { return metrics_; }
    bool stopping() const { return stopping_; }
    void join(Guest& guest);
    void leave(Guest& guest);
    void refused_by(IdSource::Made why, milliseconds behind);
    /// One log line a second at most: whoever connects can cause them.
    void complain(std::string_view what, std::string_view of);

 private:
    void accepted(int descriptor, const net::Endpoint& peer);
    void stop();

    const Settings settings_;
    std::unique_ptr<IdSource> source_;
    Log& log_;
    Metrics metrics_;
    net::Loop loop_;
    std::unique_ptr<net::Listener> listener_;
    const net::Endpoint local_;
    boost::intrusive::list<Guest> guests_;
    std::size_t open_ = 0;  // accepted, though perhaps not yet in guests_
    bool stopping_ = false;
    Time quiet_until_{};
    std::jthread thread_;
};

}  // namespace ticketgate::noeq
