#include "app/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>

namespace ticketgate {

std::uint64_t most_descriptors() {
    rlimit limit{};
    const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
    return known ? limit.rlim_max : std::numeric_limits<std::uint64_t>::max();
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);  // every process may raise it to the hard limit
}

namespace {

std::uint64_t reserved(std::uint64_t all) {
    return std::min<std::uint64_t>(all / 8, 1024);
}

int without(std::uint64_t most, std::uint64_t (*kept)(std::uint64_t)) {
    constexpr std::uint64_t largest = std::numeric_limits<int>::max();
    const auto all = std::min(most, largest);
    return static_cast<int>(all - kept(all));
}

}  // namespace

int first_reserved_descriptor(std::uint64_t most) {
    return without(most, reserved);
}

int first_kept_descriptor(std::uint64_t most) {
    return without(most, [](std::uint64_t all) {
        return std::min(all, std::max<std::uint64_t>(reserved(all) / 2, 4));
    });
}

int first_reserved_from_ids(std::uint64_t most) {
    return without(most, [](std::uint64_t all) { return reserved(all) - reserved(all) / 4; });
}

std::uint32_t most_id_connections(std::uint32_t configured, std::uint64_t most) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(configured, std::max<std::uint64_t>(most / 4, 1)));
}

std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most) {
    const std::string path = "clients.max_connections";
    const std::uint64_t wanted = config.clients.max_connections;
    config::Problems problems;
    if (wanted != config::Clients{}.max_connections && wanted > most)
        problems.warn(config.mark_of(path), path,
                      "a process started in this way may open " + std::to_string(most) +
                          " files (ulimit -n, LimitNOFILE), and each request needs two");
    return problems.take();
}

}  // namespace ticketgate
