// One I/O thread's share of the proxy: its loop, its present snapshot, its id generators, log
// buffer, counters and sessions, and scratch space for the request at hand. Owned by the Assembly;
// only the loop's thread uses it, unless noted.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "disk/file_copy.hpp"
#include "disk/folder.hpp"
#include "disk/readers.hpp"
#include "http/accept.hpp"
#include "http/parser.hpp"
#include "http/spool.hpp"
#include "ids/generator.hpp"
#include "log/line_sink.hpp"
#include "log/log.hpp"
#include "net/loop.hpp"
#include "proxy/admission.hpp"
#include "proxy/http_metrics.hpp"
#include "proxy/input_budget.hpp"
#include "proxy/last_ends.hpp"
#include "proxy/peers.hpp"
#include "proxy/request.hpp"
#include "proxy/snapshot.hpp"
#include "task/scratch.hpp"
#include "trace/buffer.hpp"

namespace ticketgate {

class Station;

/// An object on a station that must know when the process drains or stops: a connection, a run.
class Resident : public boost::intrusive::list_base_hook<> {
 public:
    virtual void look_up() = 0;

 protected:
    ~Resident() = default;
};

using IdleHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<class IdleTag>,
                                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
/// What a connection that holds no request does. Lingering ones make room before idle ones do.
enum class Rest : std::uint8_t {
    lingers,  ///< its last answer is written; what the client still sends is dropped
    idles     ///< between two requests, or before the first
};
/// A connection that has rested for this long may be closed to make room. Before that its last
/// answer may still be on its way, and a client that sends one request after the other is about to
/// send the next, which would be lost.
constexpr Duration surely_resting = 100ms;

/// A client's connection that holds no request. At max_connections it makes room for a new client.
class IdleClient : public IdleHook {
 public:
    /// Ends the connection now. False: its next request has begun to arrive.
    virtual bool make_room() = 0;
    Time idle_since{};
    Rest rest = Rest::idles;

 protected:
    ~IdleClient() = default;
};

/// A message that is logged once a second at most, with the number of those that were not.
class OnceASecond {
 public:
    bool due(Time now) {
        if (now < next_) return ++dropped_, false;
        next_ = now + 1s;
        return true;
    }
    /// Since the last one that was logged.
    std::uint64_t untold() { return std::exchange(dropped_, 0); }

 private:
    Time next_{};
    std::uint64_t dropped_ = 0;
};

/// Shared by all stations; any thread.
struct Commons {
    Log& log;
    http::SpoolBudget& spool;
    LineTaker& access_file;
    std::vector<Station*> stations{};            ///< by loop index; fixed before the loops run
    std::atomic<std::uint32_t> connections{0};   ///< open client connections
    std::atomic<std::uint32_t> runs{0};          ///< exchanges with backends under way
    std::atomic<bool> sends_nothing_new{false};  ///< Assembly::send_nothing_new()
    std::function<void()> connection_closed{};   ///< called after each close; must be cheap
    std::atomic<bool> room_wanted{false};        ///< a client waits, and no connection rested
    std::atomic<bool> crowded{false};            ///< clients wait: each answer ends its connection
    std::atomic<std::size_t> lingering{0};       ///< exchanges without a slot, read to their ends
    LastEnds last_ends{};                        ///< of exchanges, for calls from inside
    /// Called to know of each client from now on whether it connected before this call or after it.
    std::function<void()> look_for_clients = [] {};
    std::function<void()> idle_appeared{};  ///< called when one begins to rest while room_wanted
    ids::Machine machine{};                 ///< for ids; fixed before the loops run
    ClientCounts clients{};                 ///< connections by client
    InputBudget input{~0ull};               ///< limited by the Assembly
    std::shared_ptr<disk::OpenFiles> open_files = std::make_shared<disk::OpenFiles>();
    std::shared_ptr<disk::CopyBudget> copies = std::make_shared<disk::CopyBudget>();
    disk::Readers readers{};                 ///< of files that are not in memory
    std::unique_ptr<Peers> peers = nullptr;  ///< null: not of a cluster; fixed before the loops run
    trace::Buffer traces{};                  ///< of finished requests, for the exporter
};

class Station {
 public:
    Station(Commons& commons, net::Loop& loop, metrics::Registry& registry,
            std::shared_ptr<const Snapshot> first);
    ~Station();

    net::Loop& loop;
    Commons& commons;
    HttpMetrics metrics;
    ids::Generator ids;

    const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
    /// An answer that begins now ends its connection.
    bool ends_connections() const { return draining() || handed_over() || commons.crowded; }
    /// Takes a reload's snapshot. Closes idle connections to backends that are gone.
    void use(std::shared_ptr<const Snapshot> next);

    /// Ends a request: writes its log line, counts it, and keeps its head's memory for another.
    void record(Request& request) noexcept;
    /// Logs that the spool refused a body of this request, once a second at most.
    void tell_spool(std::string_view request_id);
    /// Logs that a file of this request could not be opened, once a second at most. `error`: errno.
    void tell_file(const Request& request, const std::string& file, int error);
    /// Memory for a request head.
    std::string spare_text();

    void join(Resident& resident) { residents_.push_back(resident); }
    void leave(Resident& resident) { residents_.erase(residents_.iterator_to(resident)); }

    /// From now on the connection rests in this way.
    void rest(IdleClient& client, Rest how = Rest::idles);
    void wake(IdleClient& client);
    /// Since when the connection that has rested in this way for longest does so; Time::max():
    /// there is none. Any thread.
    Time oldest(Rest how) const { return resting(how).oldest; }
    /// Ends one that lingers, or else the one that is idle for longest. If none rests any more,
    /// calls `idle_appeared`, so that the next station is asked. Any thread.
    void ask_for_room() { loop.post(*make_room_, make_room_); }

    /// `Date: …` of this second, with its CRLF (RFC 9110 6.6.1). No clock is read within a second.
    std::string_view date_line();

    /// Closes the idle connections to backends.
    void close_idle_backends();

    // The steps of a hand-over and of an end. Any thread; they take effect at a turn of the loop,
    // need no memory, and may be repeated.
    /// Another process accepts new connections, or, with false, does so no more. Requests are
    /// served as before, each answer ends its connection, and connections that rest end soon.
    void hand_over(bool on) noexcept;
    /// Refuses new requests; idle connections end now.
    void drain() noexcept { loop.post(*drain_, drain_); }
    /// Ends all sessions and runs now, whatever they do; the lines empty.
    void stop() noexcept { loop.post(*stop_, stop_); }

    bool handed_over() const { return handed_over_; }
    bool draining() const { return draining_; }
    bool stopping() const { return stopping_; }
    /// It has begun to end them. Any thread.
    bool stopped() const { return stopped_; }

    // Scratch of one request.
    Scratch<http::RequestHead> head{loop.scheduler()};
    Scratch<http::ResponseHead> response{loop.scheduler()};
    Scratch<std::string> path{loop.scheduler()}, lines{loop.scheduler()}, out{loop.scheduler()};
    /// Pieces of a body that are too small to be written alone.
    Scratch<std::string> joined{loop.scheduler()};

    http::AcceptMemo accept{};
    disk::Roots roots{};
    disk::KeptFiles kept_files{};

 private:
    void log_line(const Record& record);
    void export_trace(const Request& request) noexcept;
    bool make_room();
    void tell_pause(int error) noexcept;
    void notify_all();
    void give_way();
    Duration flush_log();
    std::shared_ptr<const Snapshot> snapshot_;
    LineSink access_;
    std::string line_;
    std::vector<std::string> spare_;
    Time flush_at_{};
    OnceASecond tell_spool_{}, tell_file_{}, tell_pause_{};
    std::string date_;
    Time date_until_{};  // the end of its second
    boost::intrusive::list<Resident, boost::intrusive::constant_time_size<false>> residents_;
    struct Resting {
        boost::intrusive::list<IdleClient, boost::intrusive::base_hook<IdleHook>,
                               boost::intrusive::constant_time_size<false>>
            clients{};  // the oldest first
        std::atomic<Time> oldest{Time::max()};
        void tell() { oldest = clients.empty() ? Time::max() : clients.front().idle_since; }
        bool make_room();
    };
    Resting& resting(Rest how) { return how == Rest::lingers ? lingering_ : idle_; }
    const Resting& resting(Rest how) const { return how == Rest::lingers ? lingering_ : idle_; }
    Resting idle_;
    const std::shared_ptr<net::Call> make_room_, give_way_, drain_, stop_;
    std::atomic<bool> other_accepts_{false}, stopped_{false};
    bool draining_ = false, stopping_ = false, handed_over_ = false;
    Resting lingering_;
};

}  // namespace ticketgate
