#include "app/spool.hpp"

#include <cstring>

#include "http/spool.hpp"

namespace ticketgate {

std::vector<config::Problem> spool_problems(const config::Config& config) {
    config::Problems problems;
    const std::string path = "spool.directory";
    const int fault = http::SpoolBudget::fault_of(config.spool.directory);
    const std::string why = "no file can be made in " + config.spool.directory + ": " +
                            std::strerror(fault) +
                            "; bodies larger than memory_per_body would be refused";
    if (fault != 0 && config.marks.contains(path))
        problems.error(config.mark_of(path), path, why);
    else if (fault != 0)
        problems.warn({}, path, why);
    return problems.take();
}

}  // namespace ticketgate
