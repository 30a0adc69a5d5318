#pragma once
// The backend's records: every start and end in one sequence, and counts that show whether
// exclusion and order held. Owned by the backend's only thread.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "http_lite.hpp"
#include "net_lite.hpp"

namespace loadtest {

// Counts per microsecond; the last bucket takes everything longer.
class Histogram {
 public:
    void add(Micros value);
    Micros percentile(double share) const;
    std::uint64_t count() const { return count_; }
    Micros max() const { return max_; }

 private:
    static constexpr std::size_t buckets = 50'000;
    std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(buckets);
    std::uint64_t count_ = 0;
    Micros max_ = 0;
};

// Pairs of one queue that started in the opposite order of sending.
class Order {
 public:
    struct Counts {
        std::uint64_t pairs = 0;        // strict: any pair
        std::uint64_t pairs_slack = 0;  // the earlier one was sent at least the slack before
        std::uint64_t overtaken = 0;    // requests that are the earlier one of a pair
        std::uint64_t overtaken_slack = 0;
        std::uint64_t max_jump = 0;  // most others one request was overtaken by
        Micros max_ahead_us = 0;     // longest head start that did not help
    };
    void started(std::uint64_t seq, Micros sent_us, Micros slack_us, Counts& counts);

 private:
    struct Start {
        std::uint64_t seq;
        Micros sent_us;
    };
    // Sorted by seq: a newcomer's distance from the end is the number of requests that overtook it.
    std::vector<Start> recent_;
};

// Fencing numbers of clustered queues (lib/cluster/token.hpp), and requests that come again.
class Fences {
 public:
    struct Counts {
        std::uint64_t tokens = 0;      // requests with one
        std::uint64_t lower = 0;       // lower than an earlier one, or the same of another request
        std::uint64_t sent_twice = 0;  // came again though their method does not allow it
        std::uint64_t repeated = 0;    // GET and HEAD that came again
    };
    // Empty: as it must be; else a line that says what is wrong.
    std::string started(const RequestHead& head);
    const Counts& counts() const { return counts_; }

 private:
    struct Highest {
        std::uint64_t token = 0;
        std::uint64_t seq = 0;
        std::string path;
    };
    std::map<std::string, Highest, std::less<>> highest_;  // by Fencing-Queue
    // X-Seq by path: each driver of a run has a path of its own.
    std::map<std::string, std::unordered_set<std::uint64_t>, std::less<>> seen_;
    Counts counts_;
};

class Journal {
 public:
    struct Limits {
        std::uint64_t in_flight = 1;  // more than this many at once is an overlap
        Micros slack_us = 1000;
        std::size_t log_lines = 400'000;
    };
    explicit Journal(Limits limits) : limits_{limits} {}

    // First bytes of a request: closes the hand-over gap opened by the last end.
    void arrived(Micros now);
    // Head and body wholly read. Returns the run's number for the calls below. `first_bytes_us`:
    // when the request's first bytes came, for who joins the log.
    std::uint64_t start(const RequestHead& head, Micros now, Micros first_bytes_us);
    void ready(std::uint64_t run, std::uint64_t seq, Micros now);
    // `writing_us`: when the last write began. The hand-over gap counts from there, because that
    // write wakes the proxy, which may go on before this thread runs again.
    void end(std::uint64_t run, std::uint64_t seq, Micros writing_us, bool client_gone);
    void truncated() { ++truncated_; }
    void accepted() { ++accepted_; }

    void reset(Limits limits);
    Limits limits() const { return limits_; }
    std::string stats() const;
    std::string log() const;
    // The first overlaps and wrong fencing numbers, a line each.
    std::string faults() const { return faults_; }
    // Requests that still ran when one too many began, a line each: when it started, when the other
    // one did, its X-Seq, fencing number and path.
    std::string overlapped() const { return overlapped_; }
    // When the request of that X-Seq started and ended, as JSON; 0: not yet.
    std::string run_of(std::uint64_t seq) const;

 private:
    // S started, R work done and answer begun, E answer written.
    struct Line {
        Micros us;
        Micros mark_us;  // S: first bytes came; E: the last write began
        std::uint64_t run;
        std::uint64_t seq;
        std::uint32_t in_flight;
        std::uint32_t kind;
    };
    struct Running {
        Micros started_us;
        std::uint64_t seq;
        std::uint64_t token;
        std::string path;
        bool noted = false;  // in overlapped_
    };
    void note_fault(const RequestHead& head, Micros now, std::string_view what);
    void note_overlapped(Micros now);
    void append(char kind, std::uint64_t run, std::uint64_t seq, Micros now, Micros mark_us);

    Limits limits_;
    std::uint64_t runs_ = 0;       // never reset: a run's number is unique for the process
    std::uint64_t first_run_ = 0;  // runs before it belong to before the last reset
    std::uint64_t in_flight_ = 0;
    std::uint64_t max_in_flight_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t served_ = 0;
    std::uint64_t overlaps_ = 0;
    std::uint64_t ghosts_ = 0;
    std::uint64_t client_gone_ = 0;
    std::uint64_t truncated_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t with_both_ids_ = 0;
    Fences fences_;
    std::string faults_;
    std::uint64_t fault_lines_ = 0;
    std::map<std::uint64_t, Running> running_;  // by run
    std::string overlapped_;
    Order::Counts order_counts_;
    std::map<std::string, Order, std::less<>> orders_;
    Histogram gaps_;
    Micros last_end_ = 0;  // 0 = no gap open
    std::vector<Line> lines_;
    std::uint64_t lines_written_ = 0;
};

}  // namespace loadtest
