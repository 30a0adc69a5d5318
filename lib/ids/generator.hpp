// All id formats of one I/O thread. Owned by its loop and used on that loop only: no locks, no
// allocation, about ten nanoseconds an id. Unique across threads, processes and machines by kernel
// randomness, or by machine, process and lane where the format holds them; no id repeats when the
// clock steps back, and the child of a fork draws new random bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.hpp"
#include "ids/apache.hpp"
#include "ids/entropy.hpp"
#include "ids/format.hpp"
#include "ids/hex128.hpp"
#include "ids/id.hpp"
#include "ids/machine.hpp"
#include "ids/snowflake.hpp"
#include "ids/txid.hpp"
#include "ids/ulid.hpp"
#include "ids/uuid.hpp"

namespace ticketgate::ids {

/// One maker of each format, drawing on one Entropy.
struct Makers {
    Makers(const Machine& machine, Lane lane, Entropy& entropy);
    Id next(Format format, WallTime now);

    Txid txid;
    Uuid7 uuid7;
    Uuid4 uuid4;
    Ulid ulid;
    Hex128 hex128;
    Snowflake snowflake;
    Apache httpd_1_3, httpd_1_3_threads, httpd_2_0, httpd_2_4_29, httpd_2_4_47, httpd_2_4_49;
};

class Generator {
 public:
    explicit Generator(const Machine& machine = {}, Lane lane = {}, Entropy entropy = Entropy());
    ~Generator();
    Generator(Generator&&) noexcept;

    /// Empty only if `why_not(format, machine)` gives a reason, and for a snowflake in the child of
    /// a fork, whose worker number is the parent's.
    Id next(Format format, WallTime now);

    const Machine& machine() const { return machine_; }

    /// For the metric; a rising count means ids are guessable.
    std::uint64_t entropy_failures() const { return entropy_->failures(); }

 private:
    void start_anew();

    Machine machine_;
    Lane lane_;
    std::unique_ptr<Entropy> entropy_;  // its address outlives a move of the Generator
    std::unique_ptr<Makers> makers_;    // draws on entropy_
};

/// True if an id from a trusted peer may be kept: 16-128 characters of [A-Za-z0-9._~+/=@:-]. Any
/// other id is replaced, never truncated.
bool acceptable(std::string_view id);

/// True for 1-128 of the same characters: safe to pass on as a client's name for its request.
bool harmless(std::string_view id);

}  // namespace ticketgate::ids
