#include "app/tls.hpp"

#include "net/certificate.hpp"

namespace ticketgate {
namespace {

class Findings {
 public:
    Findings(const config::Config& config, WallTime now) : config_(config), now_(now) {}

    void pair(const config::CertificateFiles& files, const std::string& path) {
        for (const auto& found : net::examine(files.certificate, files.key, now_)) {
            const bool of_key = found.about == net::Finding::About::key;
            if ((of_key ? files.key : files.certificate).empty()) continue;  // told as missing
            tell(path + (of_key ? ".key" : ".certificate"), found.message, found.warning);
        }
    }
    void authorities(const std::string& file, const std::string& path) {
        if (file.empty()) return;
        for (const auto& found : net::examine_authorities(file, now_))
            tell(path, found.message, found.warning);
    }
    // Each replica is a server and a client of the others, which have the same file.
    void replicas(const config::ClusterPeer& peer) {
        if (!peer.tls) return;
        const config::PeerTls& tls = *peer.tls;
        const std::string path = "cluster.peer.tls";
        pair({tls.certificate, tls.key}, path);
        authorities(tls.ca_file, path + ".ca_file");
        if (tls.certificate.empty() || tls.ca_file.empty() || peer.advertise.empty()) return;
        const std::string name = tls.server_name.empty()
                                     ? config::peer_upstream(peer, peer.advertise).host
                                     : tls.server_name;
        const auto why = net::examine_trust(tls.certificate, tls.ca_file, name);
        if (why.empty()) return;
        tell(path + ".certificate",
             "the other replicas will refuse it: " + why + " (server_name or advertised host: " +
                 name + "; it must be signed by a CA in ca_file, for servers and for clients)",
             true);
    }
    std::vector<config::Problem> take() { return problems_.take(); }

 private:
    void tell(const std::string& path, const std::string& message, bool warning) {
        const config::Mark mark = config_.mark_of(path);
        warning ? problems_.warn(mark, path, message) : problems_.error(mark, path, message);
    }
    const config::Config& config_;
    const WallTime now_;
    config::Problems problems_;
};

}  // namespace

std::vector<config::Problem> tls_problems(const config::Config& config, WallTime now) {
    Findings findings(config, now);
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        if (!config.listen[i].tls) continue;
        const auto& tls = *config.listen[i].tls;
        const std::string path = "listen[" + std::to_string(i) + "].tls";
        for (std::size_t j = 0; j < tls.certificates.size(); ++j)
            findings.pair(tls.certificates[j], path + ".certificates[" + std::to_string(j) + "]");
        findings.authorities(tls.client_ca, path + ".client_ca");
    }
    for (const auto& [name, upstream] : config.upstreams) {
        const std::string path = "upstreams." + name + ".tls";
        findings.authorities(upstream.tls.ca_file, path + ".ca_file");
        if (!upstream.tls.certificate.empty())
            findings.pair({upstream.tls.certificate, upstream.tls.key}, path);
    }
    if (config.cluster) {
        const config::ClusterStore& store = config.cluster->store;
        findings.authorities(store.ca_file, "cluster.store.ca_file");
        if (!store.certificate.empty())
            findings.pair({store.certificate, store.key}, "cluster.store");
        findings.replicas(config.cluster->peer);
    }
    if (config.tracing) findings.authorities(config.tracing->ca_file, "tracing.ca_file");
    return findings.take();
}

}  // namespace ticketgate
