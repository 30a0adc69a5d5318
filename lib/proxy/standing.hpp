// Decides for which client a connection speaks, and whether to trust it: when it begins, and again
// before the first request under each snapshot. Pure.
#pragma once

#include "config/networks.hpp"
#include "http/proxy_protocol.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

/// What a PROXY header said, and who sent it.
struct Claim {
    Peer sender;
    http::ProxyHeader header;
};

/// True if this peer may send PROXY headers: a trusted proxy, or a peer on this machine.
bool may_speak_for_others(const Peer& sender, const config::Networks& trusted);

/// The peer under `trusted`. A PROXY header's client is never trusted as its proxy is, even without
/// an address. Ignores the header of a sender that may no longer speak for others.
Peer believed(const Peer& sender, const http::ProxyHeader* header, const config::Networks& trusted);

/// True if a connection must end because the rules for clients' certificates have changed since its
/// handshake: a new handshake could be refused, or what its certificate proved no longer counts.
/// `begun`, `now`: from TlsServer::guests(); empty: no certificate is asked for.
bool must_shake_hands_again(std::string_view begun, std::string_view now, bool now_required,
                            bool gave_certificate);

}  // namespace ticketgate
