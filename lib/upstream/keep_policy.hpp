// Decides whether a request that must not be sent twice may use a kept connection. Its backend may
// close that connection while the request is on its way. Then it is unknown whether the request was
// processed, so it cannot be repeated (CONTRACT 2.7), and its client gets 502. No check of the
// socket closes this gap. So such a request uses a kept connection only if the backend has proven
// that it keeps them: by many answers on reused connections, up to an idle age that connections
// have outlived, and without an unannounced close for some minutes. For one pool. Pure.
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
        /// A connection closed unannounced at this idle age or before it revokes the proof.
        Duration soon = 1s;
        /// How long the revocation lasts, and how long a later close is remembered.
        Duration memory = 300s;
        /// The idle age that counts as outlived at the beginning.
        Duration outlived = Duration{0};
        bool operator==(const Limits&) const = default;
    };

    explicit KeepPolicy(const Limits& limits) : limits_(limits), outlived_(limits.outlived) {}

    // Events of connections that were idle for `age`.
    /// Reused, and the backend answered.
    void answered(Duration age);
    /// Still established when ticketgate closed it.
    void outlived(Duration age);
    /// The backend had ended it without announcing that in its last answer.
    void closed(Duration age, Time now);
    /// Likewise, when a request was on its way: that request is lost.
    void crossed(Duration age, Time now);
    /// The backend sent more than the length that it had declared: bytes that would be read as the
    /// beginning of the next answer.
    void overran(Time now);
    /// How long a connection must be silent after an answer before it is used again: longer each
    /// time that the backend overruns all the same, and zero once it has not for minutes.
    Duration rest(Time now) const { return now < overran_until_ ? rest_ : Duration{0}; }

    /// True if a request that must not be sent twice may use a connection idle for `age`.
    bool trusts(Duration age, Time now) const;
    /// True if any other request may: none was lost for some minutes on one idle for about as long.
    bool allows(Duration age, Time now) const;

 private:
    const Limits limits_;
    std::uint32_t answers_ = 0;  // since the last early close; not counted beyond proven_by
    Duration outlived_;          // the longest idle age at which a connection was established
    Duration closed_at_{};       // the shortest age of a close, while it is remembered
    Duration rest_{};            // while an overrun is remembered
    Duration lost_at_{};         // the shortest age at which a request was lost, while remembered
    Time revoked_until_{}, remembered_until_{}, lost_until_{}, overran_until_{};
};

}  // namespace ticketgate
