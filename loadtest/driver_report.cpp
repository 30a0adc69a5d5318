#include "driver_report.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <map>
#include <thread>

#include "fetch.hpp"
#include "text_lite.hpp"
#include "work_log.hpp"

namespace loadtest {

namespace {

using Samples = std::vector<Micros>;

// A proxy needs a moment to see a client leave; a request started in that time is not a ghost.
constexpr Micros leave_grace_us = 1000;

Micros percentile(const Samples& sorted, double share) {
    if (sorted.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return sorted[std::min(at, sorted.size() - 1)];
}

void print_samples(std::string& out, const char* name, Samples samples) {
    std::sort(samples.begin(), samples.end());
    print(out, ",\"%s_min_us\":%" PRIu64 ",\"%s_p50_us\":%" PRIu64, name, percentile(samples, 0),
          name, percentile(samples, 0.5));
    print(out, ",\"%s_p99_us\":%" PRIu64 ",\"%s_max_us\":%" PRIu64, name, percentile(samples, 0.99),
          name, percentile(samples, 1));
}

std::uint64_t count(const Records& records, Fate fate) {
    return static_cast<std::uint64_t>(std::count_if(
        records.begin(), records.end(), [fate](const Record& r) { return r.fate == fate; }));
}

double seconds_taken(const Records& records) {
    Micros last = 0;
    for (const auto& record : records) {
        if (record.fate == Fate::answered) last = std::max(last, record.done_us);
    }
    const auto first = records.empty() ? 0 : records.front().sent_us;
    return last > first ? static_cast<double>(last - first) / 1e6 : 1;
}

std::uint64_t print_own(std::string& out, const Records& records, int expected_status) {
    Samples latencies;
    std::map<int, std::uint64_t> statuses;
    std::uint64_t wrong = 0;
    std::uint64_t crossed = 0;  // with the right status
    for (const auto& record : records) {
        if (record.fate != Fate::answered) continue;
        latencies.push_back(record.done_us - record.sent_us);
        ++statuses[record.status];
        if (record.wrong) ++wrong;
        if (record.wrong && record.status == expected_status) ++crossed;
    }
    const auto lost = count(records, Fate::lost);
    print(out, "{\"sent\":%zu,\"completed\":%zu,\"held\":%" PRIu64, records.size(),
          latencies.size(), count(records, Fate::sent));
    print(out, ",\"lost\":%" PRIu64 ",\"wrong\":%" PRIu64 ",\"crossed\":%" PRIu64, lost, wrong,
          crossed);
    print(out, ",\"left_queued\":%" PRIu64 ",\"left_running\":%" PRIu64,
          count(records, Fate::left_queued), count(records, Fate::left_running));
    for (const auto& [status, times] : statuses) {
        print(out, ",\"status_%d\":%" PRIu64, status, times);
    }
    print(out, ",\"rps\":%.1f", static_cast<double>(latencies.size()) / seconds_taken(records));
    print_samples(out, "latency", std::move(latencies));
    return lost + wrong;
}

// Waits until the backend has begun nothing new for a while: a ghost may start late.
std::string settled_stats(const std::string& backend) {
    std::uint64_t started = ~0ULL;
    for (int tries = 0; tries < 50; ++tries) {
        auto stats = fetch(backend, "/__stats");
        const auto now_started = json_number(stats, "started", 0);
        if (now_started == started && json_number(stats, "in_flight", 0) == 0) return stats;
        started = now_started;
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    return fetch(backend, "/__stats");
}

// Requests that began after their clients had left, and how long the others were answered later
// than the backend's work on the requests before them explains.
std::uint64_t print_log(std::string& out, const Plan& plan, const Records& records) {
    const WorkLog log{fetch(plan.backend, "/__log"), plan.limit};
    std::uint64_t ghosts = 0;
    std::uint64_t ran_before_leaving = 0;
    std::uint64_t at_hand_over = 0;
    Samples excess;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto& record = records[i];
        if (record.fate == Fate::answered) {
            const auto work = log.work_until(record.done_us) - log.work_until(record.sent_us);
            const auto taken = record.done_us - record.sent_us;
            excess.push_back(taken > work ? taken - work : 0);
            continue;
        }
        const auto started_us = log.started_us(i + 1);
        if (started_us == 0 || record.fate == Fate::lost) continue;
        const bool after = started_us > record.done_us + leave_grace_us;
        // One that was to leave while it ran may have left during its hand-over: not counted.
        if (!after)
            ++ran_before_leaving;
        else
            ++(record.fate == Fate::left_queued ? ghosts : at_hand_over);
    }
    print(out, ",\"left_ghosts\":%" PRIu64 ",\"left_while_running\":%" PRIu64, ghosts,
          ran_before_leaving);
    print(out, ",\"left_at_hand_over\":%" PRIu64, at_hand_over);
    print_samples(out, "excess", std::move(excess));
    return ghosts;
}

}  // namespace

Report report(const Plan& plan, const Records& records) {
    Report result;
    auto bad = print_own(result.json, records, plan.expected_status);
    if (!plan.backend.empty() && plan.hold == 0) {
        const auto stats = settled_stats(plan.backend);
        bad += print_log(result.json, plan, records);
        for (const auto* name : {"overlaps", "inversions", "ghosts"}) {
            bad += json_number(stats, name, 1);
        }
        // The backend's own object follows, opened out.
        result.json += "," + stats.substr(1, stats.find('}') - 1);
    }
    result.json += "}";
    result.kept = bad == 0 && !records.empty();
    return result;
}

}  // namespace loadtest
