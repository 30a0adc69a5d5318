#include "verdict.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "backend_log.hpp"

namespace loadtest {

namespace {

constexpr std::size_t remembered_starts = 16'384;
constexpr Micros certainly_waiting_us = 200;  // sent at least this long before a slot came free

void explain(const World& world, const char* what, std::uint64_t seq) {
    if (!world.settings.explain) return;
    const auto& record = world.records[seq - 1];
    const auto after = [&record](Micros us) {
        return us == 0 ? -1LL : static_cast<long long>(us) - static_cast<long long>(record.head_us);
    };
    std::fprintf(stderr,
                 "%s seq=%llu %s %s?%s sent=%llu whole=+%lld done=+%lld left=+%lld fate=%d "
                 "status=%d before=%llu\n",
                 what, static_cast<unsigned long long>(seq), record.post ? "POST" : "GET",
                 facts(record.line).path, record.query.c_str(),
                 static_cast<unsigned long long>(record.head_us), after(record.whole_us),
                 after(record.done_us), after(record.left_us), static_cast<int>(record.fate),
                 record.status, static_cast<unsigned long long>(record.before));
}

// The events at the backend of one line, replayed in the order of the log.
class Replay {
 public:
    Replay(const World& world, Line line, Row& row) : world_{world}, line_{line}, row_{row} {}

    void start(const LogLine& log, const Record& record) {
        const auto limit = world_.limit_at(line_, log.us);
        if (limit == 0) return;
        look_for_overlap(log, record, limit);
        look_for_ghost(log.seq, record);
        if (limit == 1 && !world_.unordered) {
            look_for_inversions(log.seq, record, log.us);
            note_hand_over(log, record);
        }
        running_.emplace(log.run, log.seq);
        if (running_.size() >= limit) full_ = true;
    }

    void end(const LogLine& log) {
        running_.erase(log.run);
        if (!full_ || running_.size() >= world_.limit_at(line_, log.us)) return;
        full_ = false;
        freed_us_ = log.us;
        freeing_us_ = log.mark_us;
    }

    std::vector<Micros> gaps;

 private:
    void explain(const char* what, std::uint64_t seq) const {
        loadtest::explain(world_, what, seq);
    }

    // Its callers run beside it: they wait for it.
    void look_for_overlap(const LogLine& log, const Record& record, std::uint32_t limit) {
        std::uint64_t beside = 0;
        bool early = false;
        for (const auto& [run, seq] : running_) {
            if (calls(seq, record)) continue;
            ++beside;
            early = early || client_is_done(world_.records[seq - 1], log.us);
        }
        if (beside < limit) return;
        ++row_.overlaps;
        if (early) ++row_.early;
        explain("overlap", log.seq);
        for (const auto& [run, seq] : running_) explain("  with", seq);
    }

    // Whether this one made the call, or the call that made it, and so on.
    bool calls(std::uint64_t caller, const Record& call) const {
        for (auto seq = call.of; seq != 0; seq = world_.records[seq - 1].of)
            if (seq == caller) return true;
        return false;
    }

    static Micros lead(Micros earlier, Micros later) {
        return later > earlier ? later - earlier : 0;
    }

    static bool client_is_done(const Record& record, Micros us) {
        return (record.left_us != 0 && record.left_us < us) ||
               (record.done_us != 0 && record.done_us < us);
    }

    // Left before the slot it got was free; or never sent whole.
    void look_for_ghost(std::uint64_t seq, const Record& record) {
        if (record.left_us == 0 || record.must) return;
        if (record.whole_us == 0 || left_in_line(record)) {
            ++row_.ghosts;
            explain("ghost", seq);
        }
    }

    bool left_in_line(const Record& record) const {
        const auto known = record.left_us + world_.settings.grace_us;
        if (record.head_us >= freed_us_ || known >= freed_us_) return false;
        // Or the thread that would have seen it leave had no CPU time.
        return known + world_.lag_between(record.left_us, freed_us_) < freed_us_;
    }

    // Whether the one that starts now stood before those of its line that started already. The
    // calls of one request have a line of their own.
    void look_for_inversions(std::uint64_t seq, const Record& record, Micros us) {
        const auto granted = std::max(freed_us_, record.whole_us);
        // A new connection's first request lies in the kernel until the proxy accepts it.
        const auto extra = record.fresh ? world_.settings.grace_us : 0;
        auto& starts = starts_[record.of];
        auto at = starts.end();
        for (; at != starts.begin() && std::prev(at)->head_us > record.head_us; --at) {
            const auto& passed_by = *std::prev(at);
            if (record.whole_us == 0 || record.whole_us >= passed_by.us) continue;
            ++row_.inversions_strict;
            const auto ahead = std::min(lead(record.head_us, passed_by.head_us),
                                        lead(record.whole_us, passed_by.granted));
            if (ahead <= world_.settings.slack_us + extra) continue;
            // Unread because its thread had no CPU time?
            const auto lag = world_.lag_between(record.whole_us, record.whole_us + ahead);
            if (ahead <= world_.settings.slack_us + extra + lag) continue;
            ++row_.inversions;
            if (ahead <= world_.settings.sure_us + extra + lag) continue;
            ++row_.inversions_sure;
            explain("overtaken", seq);
            explain("  by", passed_by.seq);
            if (const auto before = world_.records[seq - 1].before; before != 0)
                explain("  on the connection of", before);
        }
        starts.insert(at, Start{seq, us, granted, record.head_us});
        if (starts.size() > 2 * remembered_starts)
            starts.erase(starts.begin(), starts.begin() + remembered_starts);
    }

    void note_hand_over(const LogLine& log, const Record& record) {
        if (freeing_us_ == 0 || record.whole_us == 0) return;
        if (record.whole_us + certainly_waiting_us < freeing_us_) {
            gaps.push_back(log.mark_us > freeing_us_ ? log.mark_us - freeing_us_ : 0);
        }
        freeing_us_ = 0;
    }

    struct Start {
        std::uint64_t seq;
        Micros us;
        Micros granted;  // not before this
        Micros head_us;
    };
    const World& world_;
    Line line_;
    Row& row_;
    std::map<std::uint64_t, std::uint64_t> running_;  // the X-Seq of each run
    bool full_ = false;
    Micros freed_us_ = 0;    // when the last slot of a full line came free
    Micros freeing_us_ = 0;  // when the write that freed it began
    std::map<std::uint64_t, std::vector<Start>> starts_;  // by Record::of
};

// RFC 9112 9.5: a server may end an idle connection as its client sends the next request on it, or
// the first one.
bool may_be_closed(const Record& record, bool runs) {
    if ((record.allowed & allow::closed) != 0) return true;
    return (record.allowed & allow::idle_ended) != 0 && !runs;
}

void judge_answers(const World& world, const std::vector<std::uint8_t>& started, Row& row) {
    for (std::uint64_t seq = 1; seq <= world.records.size(); ++seq) {
        const auto& record = world.records[seq - 1];
        const bool runs = started[seq] != 0;
        const bool lost = record.fate == Fate::sent || (record.must && !runs) ||
                          (record.fate == Fate::closed && !may_be_closed(record, runs));
        const bool wrong =
            record.wrong || (record.fate == Fate::broken && (record.allowed & allow::broken) == 0);
        row.lost += lost ? 1 : 0;
        row.wrong += wrong ? 1 : 0;
        if (lost || wrong) explain(world, lost ? "lost" : "wrong", seq);
    }
}

void judge_gaps(std::vector<Micros>& gaps, Row& row) {
    row.hand_overs = gaps.size();
    if (gaps.empty()) return;
    std::sort(gaps.begin(), gaps.end());
    row.gap_p50_us = gaps[gaps.size() / 2];
    row.gap_p99_us = gaps[gaps.size() * 99 / 100];
    row.gap_max_us = gaps.back();
}

}  // namespace

void judge(const World& world, std::string_view log, Row& row) {
    std::vector<Replay> lines;
    lines.reserve(line_count);
    for (std::size_t i = 0; i < line_count; ++i)
        lines.emplace_back(world, static_cast<Line>(i), row);
    std::vector<std::uint8_t> started(world.records.size() + 1);
    row.requests = world.records.size();
    for_each_line(log, [&](const LogLine& line) {
        if (line.seq == 0 || line.seq > world.records.size()) return;
        const auto& record = world.records[line.seq - 1];
        auto& replay = lines[static_cast<std::size_t>(record.line)];
        if (line.kind == 'E') replay.end(line);
        if (line.kind != 'S') return;
        const bool again = std::exchange(started[line.seq], 1) != 0;
        if (again && record.once) {
            ++row.duplicates;
            explain(world, "again", line.seq);
        }
        replay.start(line, record);
    });
    std::vector<Micros> gaps;
    for (auto& line : lines) gaps.insert(gaps.end(), line.gaps.begin(), line.gaps.end());
    judge_gaps(gaps, row);
    judge_answers(world, started, row);
    row.must_overlap = world.must_overlap;
    row.complaints = world.complaints;
}

bool Row::kept() const {
    const bool exclusion = must_overlap ? overlaps > 0 && violations > 0
                                        : overlaps == 0 && early == 0 && violations == 0;
    return exclusion && inversions_sure == 0 && ghosts == 0 && lost == 0 && wrong == 0 &&
           duplicates == 0 && stuck == 0 && complaints.empty() &&
           (fds_before == 0 || fds_after <= fds_before);
}

}  // namespace loadtest
