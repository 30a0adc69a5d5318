// What the store keeps of a line: its record. As values, and as the JSON that stands in the store
// (CLUSTER.md section 3). Every write of it compares the version that it replaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/token.hpp"

namespace ticketgate::cluster {

/// One start of one replica.
struct Instance {
    std::string id;       ///< 128 random bits, new at each start
    std::string name;     ///< for people
    std::string address;  ///< where its peers reach it
    /// Tells which backends `worker_idle` can be asked at about its requests; empty: not known.
    std::string backends = {};

    bool operator==(const Instance&) const = default;
};

enum class LineState : std::uint8_t {
    free,     ///< nobody keeps it and nothing runs
    idle,     ///< kept; nothing runs, and the keeper writes `open` before the next first byte
    open,     ///< something may run
    leaving,  ///< the same, and any replica may take over
    settling  ///< kept; grants nothing, and waits until nothing of `prior` runs
};

/// The term whose requests may still run.
struct Prior {
    Epoch epoch = 0;
    Instance keeper;
    /// The store does not list that instance any more. A lease after this was written it grants
    /// nothing, also if it was leaving.
    bool lost = false;

    bool operator==(const Prior&) const = default;
};

struct Line {
    Epoch epoch = 0;
    Instance keeper;  ///< of `free`: the last one
    LineState state = LineState::free;
    std::optional<Prior> prior;  ///< only and always with `settling`

    bool operator==(const Line&) const = default;
};

inline constexpr std::size_t max_record = 1024;

/// The term whose requests the next keeper of this line waits for; absent: nothing may still run.
/// The record does not know whether the keeper of its own term is lost.
std::optional<Prior> term_to_await(const Line&);

std::string_view to_string(LineState);

/// A time as records tell it; WallTime{}: it cannot be one.
WallTime read_time(std::int64_t unix_ms);

/// `since`: when it was written, for people.
std::string write_line(const Line&, WallTime since);
/// Null, and a sentence for people in `why`, if the text is no record or contradicts itself.
/// Members that it does not know are left out. `since`: when it was written, if it says so.
std::optional<Line> read_line(std::string_view json, std::string& why, WallTime* since = nullptr);

}  // namespace ticketgate::cluster
