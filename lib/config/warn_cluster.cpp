#include <algorithm>

#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool leaves_the_machine(const std::string& url) {
    Upstream at;
    std::string why;
    if (!parse_url(url, at, why)) return false;
    Listen there;
    there.host = at.host;
    return at.host != "localhost" && !is_loopback(there);
}

void warn_store(const Config& config, Problems& problems) {
    const ClusterStore& store = config.cluster->store;
    const auto warn = [&](const std::string& key, const std::string& message) {
        problems.warn(config.mark_of("cluster.store." + key), "cluster.store." + key, message);
    };
    if (store.endpoints.size() == 1)
        warn("endpoints", "has one endpoint: without that node the lines stand; name all nodes");
    const auto open = std::ranges::find_if(store.endpoints, [](const std::string& endpoint) {
        return endpoint.starts_with("http://") && leaves_the_machine(endpoint);
    });
    if (open != store.endpoints.end() && !store.password.empty())
        warn("endpoints", "the password goes to " + *open + " in plain text; use https");
    const bool plain = std::ranges::none_of(store.endpoints, [](const std::string& endpoint) {
        return endpoint.starts_with("https://");
    });
    if (plain && !store.endpoints.empty() && !(store.ca_file.empty() && store.certificate.empty()))
        warn(store.ca_file.empty() ? "certificate" : "ca_file",
             "has no effect: no endpoint begins with https://");
}

void warn_peer(const Config& config, Problems& problems) {
    const ClusterPeer& peer = config.cluster->peer;
    if (!peer.advertise.empty() && !peer.tls && leaves_the_machine("http://" + peer.advertise))
        problems.warn(config.mark_of("cluster.peer.advertise"), "cluster.peer.advertise",
                      "the secret and the requests go between machines in plain text; write "
                      "peer.tls, unless the network is closed to others");
    if (config.cluster->lease < 3s)
        problems.warn(config.mark_of("cluster.lease"), "cluster.lease",
                      "is so short that an election of the store's leader may cost a replica its "
                      "queues; 3s or more");
}

// Such a replica is listed in the store and shares nothing.
void warn_without_queue(const Config& config, Problems& problems) {
    const auto shared = [](const auto& one) { return one.second.cluster; };
    if (std::ranges::any_of(config.queues, shared)) return;
    problems.warn(config.mark_of("cluster"), "cluster",
                  "no queue is shared: each replica has lines of its own; write cluster: true on "
                  "the queues that all replicas shall share");
}

void warn_lost_keeper(const Config& config, const std::string& name, const Queue& queue,
                      Problems& problems) {
    const bool opens =
        queue.hold_timeout != never && queue.on_hold_timeout == OnHoldTimeout::release;
    if (queue.release == Release::worker_idle || opens) return;
    const auto path = "queues." + name + ".hold_timeout";
    problems.warn(config.mark_of(path), path,
                  "if the replica that keeps the queue crashes while a request runs, the queue "
                  "stands until a person says that the request is over (ticketgate settle " +
                      name +
                      " EPOCH); with a time and on_hold_timeout: release it fails open after it");
}

}  // namespace

void warn_cluster(const Config& config, Problems& problems) {
    if (!config.cluster) return;
    warn_store(config, problems);
    warn_peer(config, problems);
    warn_without_queue(config, problems);
    for (const auto& [name, queue] : config.queues)
        if (queue.cluster) warn_lost_keeper(config, name, queue, problems);
}

void warn_clustered_route(const Effective& route, const Config& config, PlaceWarnings& places) {
    const auto queue = config.queues.find(route.settings.queue.value_or(""));
    if (!config.cluster || queue == config.queues.end() || !queue->second.cluster) return;
    if (route.settings.wait_timeout < 2 * config.cluster->lease)
        places.warn(route, "wait_timeout",
                    "is below two leases: after the loss of a keeper, requests time out before "
                    "another replica can take over");
    if (config.drain_timeout < route.settings.response_timeout)
        places.warn(route, "response_timeout",
                    "is above drain_timeout: a replica that is stopped while such a request runs "
                    "leaves the queue without the word that it has ended");
}

}  // namespace ticketgate::config
