// Decides what becomes of a batch after each try to deliver it: taken, tried again after a pause,
// or dropped (OTLP over HTTP, sections "Failures" and "Retry"). Pure; the exporter's thread.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate::trace {

enum class Reply : std::uint8_t {
    taken,    ///< 2xx
    refused,  ///< the collector will not take this batch: another status
    later,    ///< 429, 502, 503, 504
    none      ///< no whole answer
};
Reply reply_of(unsigned status);

class Delivery {
 public:
    /// What follows a try. The batch is done with unless `again`.
    struct Next {
        bool again = false;
        bool lost = false;  ///< it was not taken, and will not be
        Duration pause{0};  ///< before the next try, of this batch or of another
    };
    /// `asked`: the pause that the collector asks for; `random`: any number, so that processes
    /// that failed together do not come back together.
    Next after(Reply reply, Duration asked, std::uint32_t random);
    /// The last try failed. `changed`: the one before did not end like it.
    bool failing() const { return failing_; }
    bool changed() const { return changed_; }

 private:
    void note(bool failed);
    unsigned tries_ = 0;     // of the present batch
    unsigned failures_ = 0;  // in a row
    bool failing_ = false, changed_ = false;
};

inline constexpr unsigned most_tries = 5;
inline constexpr Duration first_pause = 1s, longest_pause = 30s;

}  // namespace ticketgate::trace
