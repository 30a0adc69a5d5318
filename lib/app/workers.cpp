#include "app/workers.hpp"

#include <unistd.h>

#include "proxy/workers.hpp"

namespace ticketgate {

std::vector<config::Problem> worker_problems(const config::Config& config) {
    config::Problems problems;
    for (const auto& [name, upstream] : config.upstreams) {
        if (!upstream.workers || upstream.workers->command.empty()) continue;  // reported
        const std::string path = "upstreams." + name + ".workers";
        try {
            (void)recipe_of(*upstream.workers, config.spool.directory);
        } catch (const WorkersFault& fault) {
            const std::string at = path + "." + fault.key;
            problems.error(config.mark_of(at), at, fault.what());
        }
        if (upstream.workers->user.empty() && ::geteuid() == 0)
            problems.warn(config.mark_of(path), path + ".user",
                          "is not set: if ticketgate is started as root, the workers run as "
                          "root, too; write user: www-data");
    }
    return problems.take();
}

}  // namespace ticketgate
