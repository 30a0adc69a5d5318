#pragma once
// One scenario's row: the driver's records joined with what the backend logged. README.md defines
// every column; the names here are those of the table and of the JSON.

#include <string>
#include <string_view>
#include <vector>

#include "world.hpp"

namespace loadtest {

struct Row {
    std::string scenario;
    std::uint64_t requests = 0;
    std::uint64_t overlaps = 0;
    std::uint64_t inversions_strict = 0;
    std::uint64_t inversions = 0;       // beyond --slack-us
    std::uint64_t inversions_sure = 0;  // beyond --sure-us: not explained by scheduling noise
    std::uint64_t ghosts = 0;
    std::uint64_t early = 0;
    std::uint64_t hand_overs = 0;
    Micros gap_p50_us = 0;
    Micros gap_p99_us = 0;
    Micros gap_max_us = 0;
    std::uint64_t lost = 0;
    std::uint64_t wrong = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t stuck = 0;
    std::uint64_t fds_before = 0;
    std::uint64_t fds_after = 0;
    std::uint64_t rss_before_kib = 0;
    std::uint64_t rss_after_kib = 0;
    std::uint64_t violations = 0;  // what ticketgate itself counted
    std::uint64_t milliseconds = 0;
    bool must_overlap = false;
    std::vector<std::string> complaints;

    // Overlaps, inversions, ghosts ... of what the backend and the clients saw.
    bool kept() const;
};

// Fills the columns that come from records and log; `log` is the backend's /__log.
void judge(const World& world, std::string_view log, Row& row);

}  // namespace loadtest
