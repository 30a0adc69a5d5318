// Whether a request that must not be sent twice may go over a kept connection. Its backend may
// close that connection while the request is on its way. Then it is unknown whether it was
// processed, so it cannot be repeated (CONTRACT 2.7), and its client gets 502. No look at the
// socket closes this gap. So such a request takes a kept connection only from a backend that has
// shown that it keeps them: by many answers on reused connections, up to an idle age that
// connections have outlived, and without an unannounced close for some minutes. Of one pool. Pure.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate {

class KeepPolicy {
 public:
    struct Limits {
        /// Answers on reused connections, in a row, that prove a backend. A backend that closes one
        /// of a hundred connections behind its answer passes with a chance of 4 in 100,000.
        std::uint32_t proven_by = 1000;
        /// A connection closed unannounced at this idle age or before it takes the proof away.
        Duration soon = 1s;
        /// For how long, and for how long a later close is remembered.
        Duration memory = 300s;
        /// The idle age that is taken for outlived at the beginning.
        Duration outlived = Duration{0};
        bool operator==(const Limits&) const = default;
    };

    explicit KeepPolicy(const Limits& limits) : limits_(limits), outlived_(limits.outlived) {}

    // What happened to connections that were idle for `age`.
    /// Reused, and it answered.
    void answered(Duration age);
    /// It still stood when we closed it.
    void outlived(Duration age);
    /// The backend had ended it without a word in its last answer.
    void closed(Duration age, Time now);
    /// The backend said more than the length that it had told: bytes that would be taken for the
    /// beginning of the next answer.
    void overran(Time now);
    /// For how long a connection must be silent behind an answer before it is used again: longer
    /// each time that the backend overruns all the same, and nothing once it has not for minutes.
    Duration rest(Time now) const { return now < overran_until_ ? rest_ : Duration{0}; }

    /// May a request that must not be sent twice take a connection that has been idle for `age`?
    bool trusts(Duration age, Time now) const;

 private:
    const Limits limits_;
    std::uint32_t answers_ = 0;  // since the last early close; not counted beyond proven_by
    Duration outlived_;          // the longest age at which a connection stood
    Duration closed_at_{};       // the shortest age of a close, while it is remembered
    Duration rest_{};            // while an overrun is remembered
    Time revoked_until_{}, remembered_until_{}, overran_until_{};
};

}  // namespace ticketgate
