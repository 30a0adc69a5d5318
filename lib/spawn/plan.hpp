// How many workers a pool needs now, and which of them may go. Pure: the supervisor obeys it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::spawn {

enum class WorkerState : std::uint8_t {
    starting,  ///< has not waited for a request yet
    idle,      ///< waits for a request
    busy,      ///< runs one, or has not shown yet that it is over
    stopping,  ///< was told to end
    dead       ///< has ended; its exit status is read
};

struct Bounds {
    std::uint32_t min = 1, max = 1;
    Duration idle_timeout = 60s;
    bool operator==(const Bounds&) const = default;
};

/// One worker, as the plan sees it.
struct Standing {
    WorkerState state;
    Time since;  ///< in this state
};

struct Plan {
    std::size_t start = 0;
    std::vector<std::size_t> stop = {};   ///< indices; idle ones only
    std::optional<Time> look_again = {};  ///< when time alone changes the plan
    bool operator==(const Plan&) const = default;
};

/// `waiting`: requests without a worker. `may_start`: the end of the pause after failed starts.
/// Workers that are stopping count towards `max`: it bounds the processes that exist.
Plan plan(const Bounds& bounds, std::span<const Standing> workers, std::size_t waiting,
          Time may_start, Time now);

/// The pause after workers that ended before they took a request: 100 ms, doubled by each one after
/// a pause, at most 30 s. A worker that was started after the last of them and has served a request
/// ends it. One that was there before tells nothing of the starts.
class StartPause {
 public:
    void failed(Time now);
    /// A worker that was started then has served a request.
    void served(Time started);
    Time until() const { return until_; }
    std::uint32_t failures() const { return failures_; }

 private:
    std::uint32_t failures_ = 0;
    Time last_failure_{}, until_{};
};

}  // namespace ticketgate::spawn
