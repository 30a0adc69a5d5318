#include "app/replica.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "app/admin_listener.hpp"
#include "app/cluster_metrics.hpp"
#include "app/cluster_store.hpp"
#include "app/lost_backends.hpp"
#include "app/version.hpp"
#include "ids/entropy.hpp"
#include "net/endpoint.hpp"

namespace ticketgate {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unnamed";
    return name.data();
}

// Empty: a unix socket.
bool is_literal(const std::string& host) {
    return host.empty() || net::Endpoint::from_ip(host, 0).has_value();
}

bool is_of_this_machine(const std::string& host) {
    const auto address = net::Endpoint::from_ip(host, 0);
    return host.empty() || (address && address->is_local());
}

// The settings by which the keeper treats requests. Other replicas compare them.
std::string shared_settings(const config::Cluster& cluster, const config::Queue& queue) {
    const auto number = [](auto value) { return std::to_string(static_cast<std::int64_t>(value)); };
    return "lease " + number(cluster.lease.count()) + ", idle_after " +
           number(cluster.idle_after.count()) + ", max_in_flight " + number(queue.max_in_flight) +
           ", order " + number(queue.order) + ", hold_timeout " +
           number(queue.hold_timeout.count()) + ", on_hold_timeout " +
           number(queue.on_hold_timeout) + ", release " + number(queue.release) + ", max_inside " +
           number(queue.max_inside) + ", token " + queue.token.value_or("off") +
           (cluster.peer.tls ? ", peer.tls" : "");
}

}  // namespace

std::string random_id() {
    std::array<std::uint8_t, 16> random{};
    if (!ids::kernel_random(random)) throw std::runtime_error("the kernel gave no random bytes");
    std::string out;
    for (const std::uint8_t byte : random) {
        constexpr std::string_view digits = "0123456789abcdef";
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

bool shows_lost_work(const config::Config& config) {
    return std::ranges::all_of(config.upstreams, [](const auto& one) {
        const config::Upstream& its = one.second;
        if (its.workers) return false;
        if (!its.fcgi || !its.fcgi->status) return true;  // no request of such a queue goes there
        return is_literal(its.host) && is_literal(its.fcgi->status->host);
    });
}

bool shows_lost_work_of(const config::Config& config, const std::string& theirs,
                        const std::string& ours) {
    const auto host = [](const std::string& address) {
        return address.substr(0, address.rfind(':'));
    };
    if (host(theirs) == host(ours)) return true;
    return std::ranges::none_of(config.upstreams, [](const auto& one) {
        const config::Upstream& its = one.second;
        return its.fcgi && its.fcgi->status && is_of_this_machine(its.host);
    });
}

replica::Queues clustered_queues(const config::Config& config, const config::Cluster& cluster) {
    replica::Queues all;
    for (const auto& [name, queue] : config.queues) {
        if (!queue.cluster) continue;
        replica::Queue& one = all[name];
        one.text = shared_settings(cluster, queue);
        one.keeper.lease = cluster.lease;
        one.keeper.idle_after = cluster.idle_after;
        one.keeper.worker_idle =
            queue.release == config::Release::worker_idle && shows_lost_work(config);
        if (queue.hold_timeout != never && queue.on_hold_timeout == config::OnHoldTimeout::release)
            one.keeper.release_after = queue.hold_timeout;
    }
    return all;
}

std::unique_ptr<replica::Replica> make_replica(const config::Config& config,
                                               const std::string& file, Log& log,
                                               metrics::Registry& registry) {
    if (!config.cluster) return nullptr;
    const config::Cluster& cluster = *config.cluster;
    replica::Settings settings;
    settings.cluster = cluster.name;
    settings.self.id = random_id();
    settings.self.name = cluster.replica.empty() ? host_name() : cluster.replica;
    settings.self.address = cluster.peer.advertise;
    settings.self.backends = lost_backends(config);
    settings.version = version;
    settings.options = options_for_file(file);
    settings.store = store_settings(cluster.store);
    settings.secret = cluster.peer.secret;
    if (const auto& tls = cluster.peer.tls) {
        settings.peers_speak_tls = true;
        settings.peer_tls.ca_file = tls->ca_file;
        settings.peer_tls.certificate = tls->certificate;
        settings.peer_tls.key = tls->key;
        settings.peer_tls.server_name = tls->server_name;
    }
    settings.lease = std::chrono::duration_cast<seconds>(cluster.lease);
    settings.queues = clustered_queues(config, cluster);
    settings.timed = time_store_calls(registry);
    return std::make_unique<replica::Replica>(std::move(settings), log);
}

}  // namespace ticketgate
