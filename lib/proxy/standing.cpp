#include "proxy/standing.hpp"

#include "net/endpoint.hpp"

namespace ticketgate {

using http::ProxySubject;

bool may_speak_for_others(const Peer& sender, const Trusted& trusted) {
    const std::string& ip = sender.ip;
    const bool here = ip == net::unix_peer || ip == "::1" || ip.starts_with("127.");
    return here || trusted.contains(ip);
}

Peer believed(const Peer& sender, const http::ProxyHeader* header, const Trusted& trusted) {
    Peer peer = sender;
    const bool heard = header != nullptr && may_speak_for_others(sender, trusted);
    const bool named = heard && header->subject == ProxySubject::client;
    peer.unnamed = header != nullptr && !named;
    if (named) {
        peer.ip = header->source;
        peer.from_port = header->source_port;
        peer.port = header->port;
        peer.proxied_port = true;
        peer.proxied_tls = header->tls;
    }
    const bool nobody = heard && header->subject == ProxySubject::unknown;
    peer.trusted = !nobody && trusted.contains(peer.ip);
    // A trusted proxy stands for many clients, and so does a unix socket.
    peer.many = peer.trusted || peer.replica || (peer.ip == net::unix_peer && !nobody);
    return peer;
}

bool must_shake_hands_again(std::string_view begun, std::string_view now, bool now_required,
                            bool gave_certificate) {
    return (now_required && !gave_certificate) || (begun != now && gave_certificate);
}

}  // namespace ticketgate
