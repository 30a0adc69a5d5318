// The ids of one I/O thread: the request id (txid) and the unique id (Apache's current form).
// Owned by its loop and used on that loop only: no locks, no allocation, about ten nanoseconds an
// id. Unique across threads, processes and machines by kernel randomness; a clock stepped back
// repeats nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.hpp"
#include "ids/apache.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"
#include "ids/txid.hpp"

namespace ticketgate::ids {

class Generator {
 public:
    explicit Generator(std::uint32_t loop_index, Entropy entropy = Entropy());

    Id request_id(WallTime now) { return txid_.next(now); }
    Id unique_id(WallTime now) { return apache_.next(now); }

    /// For the metric; a rising count means ids are guessable.
    std::uint64_t entropy_failures() const { return entropy_->failures(); }

 private:
    std::unique_ptr<Entropy> entropy_;  // its address outlives a move of the Generator
    Txid txid_;
    Apache apache_;
};

/// May an id from a trusted peer be kept? 16-128 characters of [A-Za-z0-9._~+/=@:-]; else it is
/// replaced, never truncated.
bool acceptable(std::string_view id);

}  // namespace ticketgate::ids
