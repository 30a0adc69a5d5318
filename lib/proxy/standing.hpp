// Whom a connection speaks for, and whether that is believed: asked when it begins, and again
// before the first request under each snapshot. Pure.
#pragma once

#include "http/proxy_protocol.hpp"
#include "proxy/stamp.hpp"
#include "proxy/trusted.hpp"

namespace ticketgate {

/// What a PROXY header said, and who sent it.
struct Claim {
    Peer sender;
    http::ProxyHeader header;
};

/// May this peer send PROXY headers? Our own proxies may, and what runs on this machine.
bool may_speak_for_others(const Peer& sender, const Trusted& trusted);

/// The peer as `trusted` has it. A client behind a PROXY header is never its proxy, named or not;
/// the header of a sender that may no longer speak for others counts for nothing.
Peer believed(const Peer& sender, const http::ProxyHeader* header, const Trusted& trusted);

/// Must a connection end before it is served under other rules for clients' certificates than those
/// of its handshake? It must if a new one could be refused, or if what its certificate proved
/// counts no more. `begun`, `now`: what TlsServer::guests() says; empty: nobody is asked.
bool must_shake_hands_again(std::string_view begun, std::string_view now, bool now_required,
                            bool gave_certificate);

}  // namespace ticketgate
