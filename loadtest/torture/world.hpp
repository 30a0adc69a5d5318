#pragma once
// The context of every scenario: the proxy under test, the records of the requests sent, the
// scenario's own promises. One per run of tg_torture; records start empty for each scenario.

#include <array>
#include <random>
#include <string>
#include <vector>

#include "loop.hpp"
#include "proxy_watch.hpp"
#include "record.hpp"

namespace loadtest {

struct Settings {
    Endpoint proxy;
    std::string host;
    std::string backend;  // where tg_backend's own pages are
    std::string kind;     // ticketgate, haproxy, nginx, apache, caddy or none
    std::uint64_t seed = 1;
    bool fastcgi = false;
    bool workers = false;  // of the proxy's own
    bool tls = false;      // to the proxy
    bool quick = false;
    bool explain = false;  // each broken promise by its request, on stderr
    Micros slack_us = 1000;
    Micros sure_us = 10'000;
    Micros grace_us = 5000;
    Micros patience_us = 20'000'000;
    std::uint64_t requests = 0;  // of the long mix
    Micros seconds_us = 0;
};

class World {
 public:
    World(Loop& on, Settings with, ProxyWatch& watch)
        : loop{on}, settings{std::move(with)}, proxy{watch}, random_{settings.seed} {}

    // Numbers a request in the moment it is sent; returns its X-Seq.
    std::uint64_t note_sent(const Call& call);
    Record& record(std::uint64_t seq) { return records[seq - 1]; }
    void note_done(std::uint64_t seq);

    std::uint64_t random(std::uint64_t below) { return random_() % below; }
    bool chance(std::uint64_t percent) { return random(100) < percent; }
    // Returns this number, or a fraction of it in a quick run.
    std::uint64_t some(std::uint64_t count) const {
        return settings.quick ? std::max<std::uint64_t>(count / 5, 2) : count;
    }
    Micros patience() const { return now_us() + settings.patience_us; }

    // Checks a promise that has no column in the table.
    void expect(bool kept, std::string what);

    // From `us` on at most `limit` of the line may run.
    void allow(Line line, Micros us, std::uint32_t limit);
    std::uint32_t limit_at(Line line, Micros us) const;

    // Every few milliseconds: how long the proxy's threads could not run, or stood still.
    void sample_lag();
    // The longest that one of them could not run between these times.
    Micros lag_between(Micros from, Micros to) const;

    void begin_scenario();

    Loop& loop;
    const Settings settings;
    ProxyWatch& proxy;
    Records records;
    Event answered;             // each answer, on any line
    std::uint64_t answers = 0;  // of this scenario, failed ones included
    std::vector<std::string> complaints;
    std::uint64_t round = 0;    // of a soak: each has dice of its own
    bool proxy_gone = false;    // the scenario ended it on purpose
    bool unordered = false;     // clients not accepted yet have no place in line
    bool must_overlap = false;  // a slot is given back early on purpose: the counters must move
    Micros settle_us = 0;       // what the backend is still busy with when the clients are done

 private:
    struct Allowance {
        Micros us;
        std::uint32_t limit;
    };
    struct LagSample {
        Micros us;
        std::map<pid_t, std::uint64_t> delays_us;
        std::uint64_t stolen_us;
    };
    std::mt19937_64 random_;
    std::vector<LagSample> lag_;
    std::array<std::vector<Allowance>, line_count> allowances_;
};

}  // namespace loadtest
