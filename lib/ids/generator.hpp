// All id formats of one I/O thread. Owned by its loop and used on that loop only: no locks, no
// allocation, about ten nanoseconds an id. Unique across threads, processes and machines by kernel
// randomness, or by machine, process and lane where the format says so; a clock stepped back
// repeats nothing, and the child of a fork draws everything anew.
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

    /// Empty only for what `why_not(format, machine)` tells about, and for a snowflake in the child
    /// of a fork: its worker number is the parent's.
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

/// May an id from a trusted peer be kept? 16-128 characters of [A-Za-z0-9._~+/=@:-]; else it is
/// replaced, never truncated.
bool acceptable(std::string_view id);

/// The same characters, 1-128 of them: safe to hand on as what a client calls its request.
bool harmless(std::string_view id);

}  // namespace ticketgate::ids
