#include "world.hpp"

#include <algorithm>
#include <iterator>

namespace loadtest {

std::uint64_t World::note_sent(const Call& call) {
    Record made;
    made.head_us = now_us();
    made.query = call.query;
    made.size = call.size;
    made.allowed = call.allowed;
    made.line = call.line;
    made.fate = Fate::sent;
    made.post = call.body > 0;
    made.once = made.post || call.once;
    made.head = call.head;
    records.push_back(std::move(made));
    return records.size();
}

void World::note_done(std::uint64_t seq) {
    record(seq).done_us = now_us();
    ++answers;
    answered.happen();
}

void World::expect(bool kept, std::string what) {
    if (!kept) complaints.push_back(std::move(what));
}

void World::allow(Line line, Micros us, std::uint32_t limit) {
    allowances_[static_cast<std::size_t>(line)].push_back({us, limit});
}

std::uint32_t World::limit_at(Line line, Micros us) const {
    auto limit = facts(line).limit;
    for (const auto& allowance : allowances_[static_cast<std::size_t>(line)]) {
        if (allowance.us <= us) limit = allowance.limit;
    }
    return limit;
}

void World::sample_lag() {
    if (proxy.has_pid()) lag_.push_back({now_us(), proxy.run_delays_us(), stolen_us()});
}

Micros World::lag_between(Micros from, Micros to) const {
    const auto before = [](const LagSample& sample, Micros us) { return sample.us < us; };
    auto begin = std::lower_bound(lag_.begin(), lag_.end(), from, before);
    auto end = std::lower_bound(lag_.begin(), lag_.end(), to, before);
    // The samples around them: the kernel counts a delay when it is over.
    if (begin != lag_.begin()) --begin;
    if (end != lag_.end() && std::next(end) != lag_.end()) ++end;
    if (begin == lag_.end() || end == lag_.end()) return 0;
    Micros longest = 0;
    for (const auto& [thread, after_us] : end->delays_us) {
        const auto found = begin->delays_us.find(thread);
        if (found != begin->delays_us.end()) longest = std::max(longest, after_us - found->second);
    }
    return longest + end->stolen_us - begin->stolen_us;
}

void World::begin_scenario() {
    lag_.clear();
    random_.seed(settings.seed + round);
    records.clear();
    complaints.clear();
    proxy_gone = unordered = must_overlap = false;
    settle_us = 0;
    answers = 0;
    for (auto& line : allowances_) line.clear();
}

}  // namespace loadtest
