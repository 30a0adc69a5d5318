// What the admin listener tells of a running process, as values: the queues, the tickets of one of
// them, and the config. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::top {

/// Seconds without a free slot after which a line with several slots counts as blocked.
inline constexpr double long_stalled = 10;

struct QueueLine {
    std::string name, order;
    std::uint64_t waiting = 0, in_flight = 0, max_in_flight = 0;
    double oldest_wait = 0, oldest_hold = 0;  ///< seconds
    double stalled = 0;                       ///< seconds since one of those who wait got a slot
    bool paused = false;
    std::optional<double> pause_left;  ///< seconds; none: until somebody resumes it
    /// Where else its requests may run, as the listener names it; empty: nowhere.
    std::string elsewhere = {};
    std::string old_request = {};  ///< the one that has run for longest in the old process
    double old_seconds = 0;        ///< for so long
    std::int64_t old_pid = 0;      ///< of the old process; 0: not known
    bool keeper_refuses = false;   ///< it does not take the requests of the replica that is asked

    /// Requests wait, and no slot is free for them.
    bool full() const { return waiting > 0 && in_flight >= max_in_flight; }
    /// A reload has lowered the limit: several have to end before the next is admitted.
    bool above_limit() const { return in_flight > max_in_flight; }
    /// The only slot is held, or no slot has come free for long: the line does not flow.
    bool blocked() const { return full() && (max_in_flight == 1 || stalled > long_stalled); }
    /// Requests wait that a person has to let in, or to free a slot for.
    bool stands() const {
        return blocked() || (waiting > 0 && (paused || elsewhere == "earlier_keeper")) ||
               keeper_refuses;
    }
};

enum class TicketState : std::uint8_t { running, inside, waiting, uploading };

struct TicketLine {
    std::uint64_t number = 0;
    TicketState state = TicketState::waiting;
    double seconds = 0;  ///< it runs, or it waits, for so long
    std::string client, method, target, request_id;
    std::string client_is = {};  ///< as the listener names it, of a running one
    std::uint64_t inside_of = 0;
    bool not_sent = false;      ///< it holds a slot, and its backend has nothing of it
    std::string upstream = {};  ///< of such a one
    bool end_unknown = false;   ///< php-fpm does not tell whether its script has ended
};

struct Tickets {
    QueueLine queue;
    std::vector<TicketLine> lines;  ///< running, inside, waiting: each in its order
    std::uint64_t hidden = 0;       ///< more than the listener shows
};

struct ConfigLine {
    double age = 0;              ///< seconds that the config in force is in force
    double read = 0;             ///< seconds since the file was last read
    std::uint64_t problems = 0;  ///< of a later file that is not in force
    std::string first_problem;
};

/// What a table adds to the state of a ticket whose client is this; empty: it is served.
std::string client_text(std::string_view client_is);

/// Read the JSON of /api/v1/queues, /api/v1/queues/NAME and /api/v1/config; nothing: it is
/// something else.
std::optional<std::vector<QueueLine>> read_queues(std::string_view json);
std::optional<Tickets> read_tickets(std::string_view json);
/// Of the JSON of /api/v1/queues: that uploads are refused; empty: they are not.
std::string read_spool_trouble(std::string_view json);
std::optional<ConfigLine> read_config(std::string_view json);
/// Finds the line of /readyz?verbose that says when a drain cuts the rest; empty: there is none.
std::string read_drain(std::string_view lines);

/// After so many seconds a failure of a backend is no news.
constexpr double recent_failure = 60;

/// Of the JSON of /api/v1/workers: a line for each upstream whose requests wait for a worker or
/// whose workers do not start, and one for each that failed lately.
std::vector<std::string> read_upstream_troubles(std::string_view json);

/// A worker that runs a request.
struct BusyWorker {
    std::string upstream;
    std::int64_t pid = 0;
    std::string request_id = {};  ///< empty: not known
};
std::vector<BusyWorker> read_busy_workers(std::string_view json);

}  // namespace ticketgate::top
