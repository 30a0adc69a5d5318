#include "app/descriptors.hpp"

#include <sys/resource.h>

#include <limits>
#include <string>

namespace ticketgate {

std::uint64_t most_descriptors() {
    rlimit limit{};
    const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? limit.rlim_cur : std::numeric_limits<std::uint64_t>::max();
}

std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most) {
    const std::string path = "clients.max_connections";
    const std::uint64_t wanted = config.clients.max_connections;
    config::Problems problems;
    if (wanted != config::Clients{}.max_connections && wanted > most)
        problems.warn(config.mark_of(path), path,
                      "a process started as this one may open " + std::to_string(most) +
                          " files (ulimit -n, LimitNOFILE), and each request needs two");
    return problems.take();
}

}  // namespace ticketgate
