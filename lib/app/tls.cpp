#include "app/tls.hpp"

#include <algorithm>

#include "net/certificate.hpp"
#include "net/tls_client.hpp"

namespace ticketgate {
namespace {

class Findings {
 public:
    explicit Findings(const config::Config& config) : config_(config) {}

    void pair(const config::CertificateFiles& files, const std::string& path, WallTime now) {
        for (const auto& found : net::examine(files.certificate, files.key, now)) {
            const bool of_key = found.about == net::Finding::About::key;
            tell(path + (of_key ? ".key" : ".certificate"), found.message, found.warning);
        }
    }
    void authorities(const std::string& file, const std::string& path) {
        if (file.empty()) return;
        if (const auto why = net::examine_authorities(file); !why.empty()) tell(path, why, false);
    }
    std::vector<config::Problem> take() { return problems_.take(); }

 private:
    void tell(const std::string& path, const std::string& message, bool warning) {
        const config::Mark mark = config_.mark_of(path);
        warning ? problems_.warn(mark, path, message) : problems_.error(mark, path, message);
    }
    const config::Config& config_;
    config::Problems problems_;
};

net::TlsServerSettings server_settings(const config::ListenTls& tls) {
    net::TlsServerSettings settings;
    for (const auto& [certificate, key] : tls.certificates)
        settings.certificates.push_back({certificate, key});
    settings.min_version = static_cast<net::TlsVersion>(tls.min_version);
    settings.client_ca = tls.client_ca;
    settings.client_auth = static_cast<net::ClientAuth>(tls.client_auth);
    return settings;
}

// An address that the file has no longer is served to the restart as it was at the start.
const config::Listen& now_of(const config::Listen& bound, std::size_t index,
                             const std::vector<config::Listen>& now) {
    if (index < now.size() && now[index].address == bound.address) return now[index];
    const auto found = std::ranges::find(now, bound.address, &config::Listen::address);
    return found == now.end() ? bound : *found;
}

const std::string& server_name_of(const config::Upstream& upstream) {
    return upstream.tls.server_name.empty() ? upstream.host : upstream.tls.server_name;
}

}  // namespace

std::vector<config::Problem> tls_problems(const config::Config& config, WallTime now) {
    Findings findings(config);
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        if (!config.listen[i].tls) continue;
        const auto& tls = *config.listen[i].tls;
        const std::string path = "listen[" + std::to_string(i) + "].tls";
        for (std::size_t j = 0; j < tls.certificates.size(); ++j)
            findings.pair(tls.certificates[j], path + ".certificates[" + std::to_string(j) + "]",
                          now);
        findings.authorities(tls.client_ca, path + ".client_ca");
    }
    for (const auto& [name, upstream] : config.upstreams) {
        const std::string path = "upstreams." + name + ".tls";
        findings.authorities(upstream.tls.ca_file, path + ".ca_file");
        if (!upstream.tls.certificate.empty())
            findings.pair({upstream.tls.certificate, upstream.tls.key}, path, now);
    }
    return findings.take();
}

Snapshot::TlsServers tls_servers(const std::vector<config::Listen>& bound,
                                 const config::Config& config) {
    Snapshot::TlsServers servers;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const config::Listen& listen = now_of(bound[i], i, config.listen);
        const auto& tls = listen.tls;
        servers.push_back(tls ? std::make_shared<const net::TlsServer>(server_settings(*tls))
                              : nullptr);
    }
    return servers;
}

net::Connect connect_to(const config::Upstream& upstream, std::size_t loops) {
    if (!upstream.https) return net::SocketStream::connect;
    const auto& tls = upstream.tls;
    net::TlsClientSettings settings;
    settings.verify = tls.verify;
    settings.ca_file = tls.ca_file;
    settings.server_name = server_name_of(upstream);
    settings.certificate = tls.certificate;
    settings.key = tls.key;
    return net::connect_with(std::make_shared<net::TlsClient>(settings, loops),
                             net::SocketStream::connect);
}

std::string security_of(const config::Upstream& upstream) {
    if (!upstream.https) return {};
    const auto& tls = upstream.tls;
    std::string out = (tls.verify ? "verify " : "any ") + server_name_of(upstream);
    for (const auto& file : {tls.ca_file, tls.certificate, tls.key})
        out += "\n" + file + (file.empty() ? "" : "\n" + net::digest_of_file(file));
    return out;
}

bool same_addresses(const std::vector<config::Listen>& a, const std::vector<config::Listen>& b) {
    return std::ranges::equal(a, b, [](const config::Listen& one, const config::Listen& other) {
        return one.address == other.address && one.proxy_protocol == other.proxy_protocol;
    });
}

}  // namespace ticketgate
