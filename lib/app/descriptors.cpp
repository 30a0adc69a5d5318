#include "app/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/descriptor.hpp"
#include "proxy/workers.hpp"
#include "spawn/supervisor.hpp"

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

constexpr std::uint64_t of_one_request = 3;

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

namespace {

bool serves(std::uint64_t used, std::uint64_t most) {
    const int end = std::min(first_reserved_descriptor(most), first_kept_descriptor(most));
    return used + of_one_request <= static_cast<std::uint64_t>(end);
}

// Takes what a request would, and gives it back: so gaps between the numbers count as well.
std::uint64_t used_by_this_process() {
    std::vector<Descriptor> taken;
    while (taken.size() < of_one_request) {
        taken.emplace_back(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
        if (taken.back().get() < 0) return most_descriptors() + 1 - taken.size();
    }
    return static_cast<std::uint64_t>(taken.back().get()) + 1 - of_one_request;
}

}  // namespace

std::string why_too_few_descriptors(std::uint64_t used, std::uint64_t most) {
    if (serves(used, most)) return {};
    std::uint64_t enough = most;
    while (!serves(used, enough)) ++enough;
    return "a limit of " + std::to_string(most) +
           " open files leaves none for requests beside those that the process needs itself: raise "
           "LimitNOFILE= of the unit, the container's nofile limit, or ulimit -n, to " +
           std::to_string(enough) + " at the very least, and by two for each request more";
}

void demand_descriptors() {
    const auto why = why_too_few_descriptors(used_by_this_process(), most_descriptors());
    if (!why.empty()) throw std::runtime_error(why);
}

std::size_t most_workers_beside_requests(std::uint64_t most) {
    return std::max<std::uint64_t>(most / 2 / spawn::descriptors_of_a_worker, 1);
}

namespace {

void warn_of_connections(const config::Config& config, std::uint64_t most,
                         config::Problems& problems) {
    const std::string path = "clients.max_connections";
    const std::uint64_t wanted = config.clients.max_connections;
    if (wanted != config::Clients{}.max_connections && wanted > most)
        problems.warn(config.mark_of(path), path,
                      "a process started in this way may open " + std::to_string(most) +
                          " files (ulimit -n, LimitNOFILE), and each request needs two");
}

// At the upstream with the most of them.
void warn_of_workers(const config::Config& config, std::uint64_t most, config::Problems& problems) {
    std::uint64_t wanted = 0, largest = 0;
    std::string path;
    for (const auto& [name, upstream] : config.upstreams) {
        if (!upstream.workers) continue;
        const std::uint64_t most_here = bounds_of(config, name).max;
        wanted += most_here;
        if (most_here <= largest) continue;
        largest = most_here;
        path = "upstreams." + name + ".workers.max";
    }
    if (wanted <= most_workers_beside_requests(most)) return;
    const auto needed = wanted * spawn::descriptors_of_a_worker * 2;
    problems.warn(config.mark_of(path), path,
                  "a process started in this way may open " + std::to_string(most) +
                      " files (ulimit -n, LimitNOFILE), which is enough for " +
                      std::to_string(most_workers_beside_requests(most)) +
                      " workers beside their requests, and " + std::to_string(wanted) +
                      " are wanted in all: raise the limit to " + std::to_string(needed) +
                      ", or lower max");
}

}  // namespace

std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most) {
    config::Problems problems;
    warn_of_connections(config, most, problems);
    warn_of_workers(config, most, problems);
    return problems.take();
}

}  // namespace ticketgate
