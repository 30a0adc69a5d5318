#include "proxy/standing.hpp"

#include "net/endpoint.hpp"

namespace ticketgate {

using http::ProxySubject;

namespace {

SpeaksFor speaks_for(const http::ProxyHeader* header, bool heard) {
    if (header == nullptr) return SpeaksFor::itself;
    if (!heard || header->subject == ProxySubject::unknown) return SpeaksFor::nobody;
    return header->subject == ProxySubject::client ? SpeaksFor::client : SpeaksFor::proxy;
}

}  // namespace

bool may_speak_for_others(const Peer& sender, const config::Networks& trusted) {
    const std::string& ip = sender.ip;
    const bool here = ip == net::unix_peer || ip == "::1" || ip.starts_with("127.");
    return here || trusted.contains(ip);
}

Peer believed(const Peer& sender, const http::ProxyHeader* header,
              const config::Networks& trusted) {
    Peer peer = sender;
    const bool heard = header != nullptr && may_speak_for_others(sender, trusted);
    peer.speaks_for = speaks_for(header, heard);
    if (peer.speaks_for == SpeaksFor::client) {
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
