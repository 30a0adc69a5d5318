// The noeqd protocol as values: decodes a client's requests and numbers the ids. Pure: no socket,
// no clock. A client sends one byte for each request, the number of ids it wants; with a token it
// first sends 0, the token's length, the token. The answer is that many snowflakes of eight bytes,
// big-endian, and nothing else; after an error the server closes the connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "ids/snowflake.hpp"

namespace ticketgate::ids {

/// The client's half of one connection.
class NoeqDecoder {
 public:
    enum class Step : std::uint8_t {
        more,         ///< wait for bytes
        request,      ///< `count` ids
        bad_request,  ///< close: a request for 0 ids, or no login where one is required
        bad_token,    ///< close
    };
    struct Next {
        Step step = Step::more;
        std::uint8_t count = 0;
        bool operator==(const Next&) const = default;
    };

    /// `token` outlives this; at most 255 bytes. Empty: no login.
    explicit NoeqDecoder(std::string_view token);

    /// Consumes one step's bytes from the front of `input`. Must not be called after a bad step.
    Next next(std::string_view& input);
    bool logged_in() const { return phase_ == Phase::requests; }

 private:
    enum class Phase : std::uint8_t { zero, length, token, requests };

    Next log_in(std::string_view& input);
    std::string_view token_;
    Phase phase_;
    std::uint8_t first_ = 0;  // the first byte of a login, until the second is there
    std::string given_;
    std::size_t wanted_ = 0;
};

/// noeqd's counter: 4,096 ids a millisecond; the time in an id never goes back.
class NoeqSequence {
 public:
    enum class Step : std::uint8_t {
        made,
        full,    ///< ask again in the next millisecond
        behind,  ///< the clock shows a time before the last id's
    };
    struct Next {
        Step step = Step::made;
        std::uint64_t id = 0;
    };

    /// Makes no id for a time before `last_ms`, and at `last_ms` only sequences above `sequence`.
    NoeqSequence(std::uint32_t datacenter, std::uint32_t worker, std::int64_t last_ms = -1,
                 std::uint32_t sequence = 0);

    Next next(std::int64_t unix_ms);
    std::int64_t last_ms() const { return parts_.unix_ms; }

 private:
    SnowflakeParts parts_;
};

}  // namespace ticketgate::ids
