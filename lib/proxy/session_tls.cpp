// What a session makes of its client's TLS handshake, which its first read contains.
#include "net/tls_stream.hpp"
#include "proxy/session.hpp"

namespace ticketgate {

void Session::note_handshake() {
    caller_.peer.secured = client_->secured();
    if (peer_.secured == nullptr) return;
    (peer_.secured->resumed ? station_->metrics.tls_resumed : station_->metrics.tls_full).add();
}

// What a certificate proved to those who signed certificates then. A listener that has become one
// of plain HTTP asks for none.
bool Session::must_shake_hands_again() const {
    if (peer_.secured == nullptr) return false;
    const auto tls = station_->snapshot()->tls(peer_.listener);
    const std::string now = tls ? tls->guests() : std::string();
    return ticketgate::must_shake_hands_again(caller_.guests, now, tls && tls->requires_guests(),
                                              !peer_.secured->client_fingerprint.empty());
}

// Anybody can cause one, so it is no line of the usual log.
void Session::note_failed_handshake(const net::IoResult& got) {
    const bool plain = got.error == net::spoke_plainly;
    const std::string why = plain ? "plain HTTP" : client_->fault();
    if (why.empty() || client_->secured() != nullptr) return;
    station_->metrics.tls_failed.add();
    station_->commons.log.debug("a TLS handshake failed", {{"client_ip", peer_.ip}, {"why", why}});
}

}  // namespace ticketgate
