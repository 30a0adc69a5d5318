// Makes the id service's numbers from one sequence, the clock and the state file. Owned by the
// Server, used on its thread only. Invariant: every id is greater than all before it, in this run
// and, with a state file, in earlier runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "ids/noeq.hpp"
#include "noeq/state_file.hpp"

namespace ticketgate::noeq {

/// The wall clock, and a way to let time pass; tests replace both.
struct Clocks {
    std::function<WallTime()> now;
    std::function<void(Duration)> pass;
};
Clocks system_clocks();

class IdSource {
 public:
    enum class Made : std::uint8_t {
        all,
        behind,    ///< the clock is behind the last id: none were made; try again in behind_ms()
        no_state,  ///< the state file cannot be written: none were made
    };

    IdSource(std::uint32_t datacenter, std::uint32_t worker, std::optional<StateFile> state,
             Clocks clocks = system_clocks());
    /// A regular end: writes the time of the last id to the state file.
    ~IdSource();

    /// Appends `count` ids of eight bytes. Waits for the next millisecond when one is full.
    Made make(std::uint32_t count, std::string& out);
    std::int64_t behind_ms() const { return sequence_.last_ms() - clocks_.now().unix_ms(); }

 private:
    bool reserve(std::int64_t now_ms);

    std::optional<StateFile> state_;
    Clocks clocks_;
    ids::NoeqSequence sequence_;
    bool made_any_ = false;
};

}  // namespace ticketgate::noeq
