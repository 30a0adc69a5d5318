// When a problem of the store is told: at once if there was none, and not more often than a limit
// while one lasts. A reason that the limit held back is told behind it if it is still true. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace ticketgate::replica {

class Telling {
 public:
    enum class Tell : std::uint8_t { nothing, problem, over };
    /// Each endpoint fails for a reason of its own, in turn.
    static constexpr seconds between = 5s;

    /// `problem`: of this moment; empty: none. Called at each change, and again and again: only so
    /// is a reason told that was held back.
    Tell at(Time now, const std::string& problem);

 private:
    std::string told_;  // empty: no problem lasts
    Time since_{};
};

}  // namespace ticketgate::replica
