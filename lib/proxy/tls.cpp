#include "proxy/tls.hpp"

#include <algorithm>

#include "net/certificate.hpp"
#include "net/tls_client.hpp"
#include "proxy/settings.hpp"

namespace ticketgate {
namespace {

net::TlsServerSettings server_settings(const config::ListenTls& tls, bool for_replicas) {
    net::TlsServerSettings settings;
    settings.for_replicas = for_replicas;
    for (const auto& [certificate, key] : tls.certificates)
        settings.certificates.push_back({certificate, key});
    settings.min_version = static_cast<net::TlsVersion>(tls.min_version);
    settings.client_ca = tls.client_ca;
    settings.client_auth = static_cast<net::ClientAuth>(tls.client_auth);
    return settings;
}

// Null: the config no longer names the address. The listener for replicas stays as it was at the
// start, as the connections to the other replicas do; its files are read again.
const config::Listen* now_of(const Bound& all, std::size_t index,
                             const std::vector<config::Listen>& now) {
    const config::Listen& bound = all.listeners[index];
    if (index == all.replicas) return &bound;
    if (index < now.size() && now[index].address == bound.address) return &now[index];
    const auto found = std::ranges::find(now, bound.address, &config::Listen::address);
    return found == now.end() ? nullptr : &*found;
}

const std::string& server_name_of(const config::Upstream& upstream) {
    return upstream.tls.server_name.empty() ? upstream.host : upstream.tls.server_name;
}

}  // namespace

Snapshot::TlsServers tls_servers(const Bound& bound, const config::Config& config,
                                 const Snapshot* before) {
    Snapshot::TlsServers servers;
    for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
        const config::Listen* const listen = now_of(bound, i, config.listen);
        if (listen == nullptr && before != nullptr)
            servers.push_back(before->tls(i));
        else if (listen != nullptr && listen->tls)
            servers.push_back(std::make_shared<const net::TlsServer>(
                server_settings(*listen->tls, i == bound.replicas)));
        else
            servers.push_back(nullptr);
    }
    return servers;
}

Snapshot::ListenerNames listener_names(const Bound& bound, const config::Config& config) {
    Snapshot::ListenerNames names;
    for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
        const config::Listen* const listen = now_of(bound, i, config.listen);
        names.push_back(listen == nullptr ? bound.listeners[i].name : listen->name);
    }
    return names;
}

net::Connect connect_to(const config::Upstream& upstream, std::size_t loops, net::Connect plain) {
    if (!upstream.https) return plain;
    const auto& tls = upstream.tls;
    net::TlsClientSettings settings;
    settings.verify = tls.verify;
    settings.ca_file = tls.ca_file;
    settings.server_name = server_name_of(upstream);
    settings.certificate = tls.certificate;
    settings.key = tls.key;
    return net::connect_with(std::make_shared<net::TlsClient>(settings, loops), std::move(plain));
}

std::string security_of(const config::Upstream& upstream) {
    if (!upstream.https) return {};
    const auto& tls = upstream.tls;
    std::string out = (tls.verify ? "verify " : "any ") + server_name_of(upstream);
    for (const auto& file : {tls.ca_file, tls.certificate, tls.key})
        out += "\n" + file + (file.empty() ? "" : "\n" + net::digest_of_file(file));
    return out;
}

}  // namespace ticketgate
