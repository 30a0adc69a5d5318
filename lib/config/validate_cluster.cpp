// Checks what a cluster and its queues need from each other.
#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

void check_queue(const Config& config, const std::string& name, const Queue& queue,
                 Problems& problems) {
    const auto path = "queues." + name;
    const auto error = [&](const std::string& key, const std::string& why) {
        problems.error(config.mark_of(path + "." + key), path + "." + key, why);
    };
    if (!queue.cluster) {
        if (queue.token != Queue().token) error("token", "has no effect without cluster: true");
        return;
    }
    if (!config.cluster)
        error("cluster", "needs the section cluster: its store, and how replicas reach each other");
    if (!config.marks.contains(path + ".hold_timeout"))
        error("cluster",
              "write hold_timeout beside it, if only never: how long may a request of a lost "
              "replica still run?");
}

}  // namespace

void check_cluster(const Config& config, Problems& problems) {
    for (const auto& [name, queue] : config.queues) check_queue(config, name, queue, problems);
    if (config.cluster && !config.cluster->peer.listen.unix_path.empty())
        problems.error(config.mark_of("cluster.peer.listen"), "cluster.peer.listen",
                       "other machines cannot connect to a unix socket; write an address and port");
}

}  // namespace ticketgate::config
