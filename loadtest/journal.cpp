#include "journal.hpp"

#include <algorithm>
#include <cinttypes>

#include "text_lite.hpp"

namespace loadtest {

namespace {

constexpr std::size_t remembered_starts = 16'384;  // twice the most clients a run is made with
constexpr std::size_t most_queues = 10'000;        // paths are the client's: bound the map
constexpr std::uint64_t most_fault_lines = 50;
constexpr std::size_t most_overlapped_bytes = 1 << 20;

}  // namespace

void Histogram::add(Micros value) {
    ++counts_[std::min<std::size_t>(value, buckets - 1)];
    ++count_;
    max_ = std::max(max_, value);
}

Micros Histogram::percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t value = 0; value < buckets; ++value) {
        seen += counts_[value];
        if (seen > wanted) return value;
    }
    return max_;
}

void Order::started(std::uint64_t seq, Micros sent_us, Micros slack_us, Counts& counts) {
    std::uint64_t jump = 0;
    bool slack_passed = false;
    auto at = recent_.end();
    for (; at != recent_.begin() && std::prev(at)->seq > seq; --at) {
        const auto later_us = std::prev(at)->sent_us;
        const auto ahead_us = later_us > sent_us ? later_us - sent_us : 0;
        ++jump;
        counts.max_ahead_us = std::max(counts.max_ahead_us, ahead_us);
        if (ahead_us < slack_us) continue;
        ++counts.pairs_slack;
        slack_passed = true;
    }
    recent_.insert(at, {seq, sent_us});
    if (recent_.size() > 2 * remembered_starts) {
        recent_.erase(recent_.begin(), recent_.begin() + remembered_starts);
    }
    counts.pairs += jump;
    counts.overtaken += jump > 0 ? 1 : 0;
    counts.overtaken_slack += slack_passed ? 1 : 0;
    counts.max_jump = std::max(counts.max_jump, jump);
}

std::string Fences::started(const RequestHead& head) {
    if (head.token == 0) return {};
    ++counts_.tokens;
    std::string wrong;
    Highest& highest = highest_[std::string{head.token_queue}];
    // A request that is repeated keeps its token.
    const bool again = highest.seq == head.seq && highest.path == head.path();
    if (head.token < highest.token || (head.token == highest.token && !again)) {
        ++counts_.lower;
        print(wrong, "token after %" PRIu64 " of %s seq=%" PRIu64, highest.token,
              highest.path.c_str(), highest.seq);
    } else {
        highest = {head.token, head.seq, std::string{head.path()}};
    }
    if (head.seq == 0 || seen_[std::string{head.path()}].insert(head.seq).second) return wrong;
    ++(head.is_safe() ? counts_.repeated : counts_.sent_twice);
    return head.is_safe() ? wrong : wrong + " sent twice";
}

void Journal::note_fault(const RequestHead& head, Micros now, std::string_view what) {
    if (++fault_lines_ > most_fault_lines) return;
    print(faults_, "%" PRIu64 " %s %s seq=%" PRIu64 " token=%" PRIu64 ": %s\n", now,
          std::string{head.method}.c_str(), std::string{head.target}.c_str(), head.seq, head.token,
          std::string{what}.c_str());
}

void Journal::note_overlapped(Micros now) {
    for (auto& [run, one] : running_) {
        if (one.noted || overlapped_.size() > most_overlapped_bytes) continue;
        one.noted = true;
        print(overlapped_, "%" PRIu64 " %" PRIu64 " seq=%" PRIu64 " token=%" PRIu64 " %s\n",
              one.started_us, now, one.seq, one.token, one.path.c_str());
    }
}

void Journal::arrived(Micros now) {
    if (last_end_ == 0) return;
    gaps_.add(now > last_end_ ? now - last_end_ : 0);
    last_end_ = 0;
}

std::uint64_t Journal::start(const RequestHead& head, Micros now, Micros first_bytes_us) {
    const auto run = ++runs_;
    if (in_flight_ >= limits_.in_flight) {
        ++overlaps_;
        note_fault(head, now, "overlaps");
        note_overlapped(now);
    }
    running_.emplace(run, Running{now, head.seq, head.token, std::string{head.path()}});
    if (const auto wrong = fences_.started(head); !wrong.empty()) note_fault(head, now, wrong);
    ++in_flight_;
    ++started_;
    max_in_flight_ = std::max(max_in_flight_, in_flight_);
    last_end_ = 0;
    if (head.ghost) ++ghosts_;
    if (head.has_both_ids) ++with_both_ids_;
    if (head.seq != 0) {
        auto found = orders_.find(head.queue);
        if (found == orders_.end()) {
            const bool room = orders_.size() < most_queues;
            found = orders_.try_emplace(room ? std::string{head.queue} : "(more)").first;
        }
        found->second.started(head.seq, head.sent_us, limits_.slack_us, order_counts_);
    }
    append('S', run, head.seq, now, first_bytes_us);
    return run;
}

void Journal::ready(std::uint64_t run, std::uint64_t seq, Micros now) {
    append('R', run, seq, now, now);
}

void Journal::end(std::uint64_t run, std::uint64_t seq, Micros writing_us, bool client_gone) {
    --in_flight_;
    running_.erase(run);
    append('E', run, seq, now_us(), writing_us);
    if (run <= first_run_) return;
    ++served_;
    if (client_gone) ++client_gone_;
    if (in_flight_ < limits_.in_flight) last_end_ = writing_us;
}

void Journal::append(char kind, std::uint64_t run, std::uint64_t seq, Micros now, Micros mark_us) {
    if (limits_.log_lines == 0 || run <= first_run_) return;
    const Line line{now,
                    mark_us,
                    run - first_run_,
                    seq,
                    static_cast<std::uint32_t>(in_flight_),
                    static_cast<std::uint32_t>(kind)};
    if (lines_.size() < limits_.log_lines) {
        lines_.push_back(line);
    } else {
        lines_[lines_written_ % limits_.log_lines] = line;
    }
    ++lines_written_;
}

void Journal::reset(Limits limits) {
    Journal fresh{limits};
    fresh.runs_ = fresh.first_run_ = runs_;
    fresh.in_flight_ = fresh.max_in_flight_ = in_flight_;
    fresh.running_ = std::move(running_);
    *this = std::move(fresh);
}

std::string Journal::stats() const {
    std::string out;
    const auto& order = order_counts_;
    print(out, "{\"served\":%" PRIu64 ",\"started\":%" PRIu64 ",\"in_flight\":%" PRIu64, served_,
          started_, in_flight_);
    print(out, ",\"max_in_flight\":%" PRIu64 ",\"limit\":%" PRIu64 ",\"overlaps\":%" PRIu64,
          max_in_flight_, limits_.in_flight, overlaps_);
    print(out, ",\"inversions_strict\":%" PRIu64 ",\"inversions\":%" PRIu64, order.pairs,
          order.pairs_slack);
    print(out, ",\"overtaken_strict\":%" PRIu64 ",\"overtaken\":%" PRIu64, order.overtaken,
          order.overtaken_slack);
    print(out, ",\"slack_us\":%" PRIu64 ",\"max_jump\":%" PRIu64 ",\"max_ahead_us\":%" PRIu64,
          limits_.slack_us, order.max_jump, order.max_ahead_us);
    print(out, ",\"ghosts\":%" PRIu64 ",\"client_gone\":%" PRIu64 ",\"truncated\":%" PRIu64,
          ghosts_, client_gone_, truncated_);
    print(out, ",\"with_both_ids\":%" PRIu64 ",\"connections\":%" PRIu64, with_both_ids_,
          accepted_);
    const auto& fences = fences_.counts();
    print(out, ",\"tokens\":%" PRIu64 ",\"tokens_lower\":%" PRIu64, fences.tokens, fences.lower);
    print(out, ",\"sent_twice\":%" PRIu64 ",\"repeated\":%" PRIu64, fences.sent_twice,
          fences.repeated);
    print(out, ",\"gaps\":%" PRIu64 ",\"gap_p50_us\":%" PRIu64, gaps_.count(),
          gaps_.percentile(0.5));
    print(out, ",\"gap_p90_us\":%" PRIu64 ",\"gap_p99_us\":%" PRIu64 ",\"gap_max_us\":%" PRIu64,
          gaps_.percentile(0.9), gaps_.percentile(0.99), gaps_.max());
    print(out, ",\"log_lines_lost\":%" PRIu64 "}\n", lines_written_ - lines_.size());
    return out;
}

std::string Journal::log() const {
    std::string out;
    out.reserve(lines_.size() * 80);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto& line = lines_[(lines_written_ + i) % lines_.size()];
        print(out, "%c %" PRIu64 " run=%" PRIu64 " seq=%" PRIu64 " in_flight=%u mark=%" PRIu64 "\n",
              static_cast<int>(line.kind), line.us, line.run, line.seq, line.in_flight,
              line.mark_us);
    }
    return out;
}

// Searches from the newest line back: callers wait for a request that has just begun.
std::string Journal::run_of(std::uint64_t seq) const {
    Micros started = 0;
    Micros ended = 0;
    for (std::size_t i = 0; i < lines_.size() && started == 0; ++i) {
        const auto& line = lines_[(lines_written_ - 1 - i) % lines_.size()];
        if (line.seq != seq) continue;
        if (line.kind == 'S') started = line.us;
        if (line.kind == 'E') ended = line.us;
    }
    std::string out;
    print(out, "{\"started\":%" PRIu64 ",\"ended\":%" PRIu64 "}\n", started, ended);
    return out;
}

}  // namespace loadtest
