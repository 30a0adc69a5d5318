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
    std::string
        behind;  ///< said when the request is over already: padding, or a body that has no place
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

/// Is there no body in the answer, whatever the script says?
bool bodiless(const Ask& ask);

/// The body that only this request's answer has.
std::string body_of(const Ask& ask);

}  // namespace ticketgate::sim
