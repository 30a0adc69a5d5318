// The backend's answer to one request, in either protocol, and what it does afterwards.
#pragma once

#include <string>
#include <vector>

#include "simulation/message.hpp"
#include "simulation/plan.hpp"
#include "simulation/random.hpp"

namespace ticketgate::sim {

struct Answer {
    struct Pause {
        std::size_t after = 0;  ///< bytes, from the pause before
        Duration time = Duration{};
    };
    std::string bytes;
    std::vector<Pause> pauses;
    Duration runs_on = Duration{};  ///< when all is said, before the end
    bool dies = false;
    bool resets = false;  ///< dies by RST
    bool closes = false;
    bool works_on = false;  ///< its end does not tell that of the script
    /// Bytes sent after the request's end: padding, or a body where none is allowed.
    std::string behind;
};

/// `kind`: its fate, or that it answers, at a second attempt.
struct Question {
    const Ask& ask;
    Fate::Kind kind;
    const Incoming& request;
    unsigned tells_timeout;  ///< percent
};

Answer http_answer(Random& random, const Question& question);
Answer fcgi_answer(Random& random, const Question& question);

/// Tells whether the client's answer has no body, whatever the script sends.
bool bodiless(const Ask& ask);
/// The same of the backend's: a HEAD may have come to it as GET.
bool bodiless(const Question& question);

/// The body that only this request's answer has.
std::string body_of(const Ask& ask);

}  // namespace ticketgate::sim
