// What a session makes of its client's TLS handshake, which its first read contains.
#include "net/tls_stream.hpp"
#include "proxy/session.hpp"

namespace ticketgate {

void Session::note_handshake() {
    peer_.secured = client_->secured();
    if (peer_.secured == nullptr) return;
    (peer_.secured->resumed ? station_->metrics.tls_resumed : station_->metrics.tls_full).add();
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
