#include <algorithm>

#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool leaves_the_machine(const std::string& endpoint) {
    Upstream at;
    std::string why;
    if (!parse_url(endpoint, at, why)) return false;
    Listen there;
    there.host = at.host;
    return at.host != "localhost" && !is_loopback(there);
}

}  // namespace

void warn_cluster(const Config& config, Problems& problems) {
    if (!config.cluster) return;
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

}  // namespace ticketgate::config
