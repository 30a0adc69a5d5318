#include "config/model_cluster.hpp"

#include "config/syntax.hpp"

namespace ticketgate::config {

Listen peer_listener(const ClusterPeer& peer) {
    Listen listen = peer.listen;
    if (!peer.tls) return listen;
    listen.tls.emplace();
    listen.tls->certificates.push_back({peer.tls->certificate, peer.tls->key});
    listen.tls->client_ca = peer.tls->ca_file;
    listen.tls->client_auth = ClientAuth::required;
    return listen;
}

Upstream peer_upstream(const ClusterPeer& peer, const std::string& address) {
    Upstream upstream;
    std::string why;
    (void)parse_url((peer.tls ? "https://" : "http://") + address, upstream, why);
    upstream.rewrite_location = false;
    upstream.max_head = 1 << 20;
    upstream.max_headers = 10'000;  // the keeper has applied the limits of the backend
    if (!peer.tls) return upstream;
    upstream.tls.ca_file = peer.tls->ca_file;
    upstream.tls.certificate = peer.tls->certificate;
    upstream.tls.key = peer.tls->key;
    upstream.tls.server_name = peer.tls->server_name;
    return upstream;
}

}  // namespace ticketgate::config
