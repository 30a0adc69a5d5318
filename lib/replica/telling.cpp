#include "replica/telling.hpp"

namespace ticketgate::replica {

Telling::Tell Telling::at(Time now, const std::string& problem) {
    if (problem == told_) return Tell::nothing;
    const bool lasts = !told_.empty();
    if (lasts && !problem.empty() && now < since_ + between) return Tell::nothing;
    told_ = problem;
    since_ = now;
    return problem.empty() ? Tell::over : Tell::problem;
}

}  // namespace ticketgate::replica
