// What the backend says to one request, in either protocol, and how it goes on from there.
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
    /// Said when the request is over already: padding, or a body that has no place.
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

/// Has the client's answer no body, whatever the script says?
bool bodiless(const Ask& ask);
/// The same of the backend's: a HEAD may have come to it as GET.
bool bodiless(const Question& question);

/// The body that only this request's answer has.
std::string body_of(const Ask& ask);

}  // namespace ticketgate::sim
