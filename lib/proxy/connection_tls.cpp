// Judges the peer: by its TLS handshake, which its first read contains, and by the snapshot in
// force.
#include "net/tls_stream.hpp"
#include "proxy/connection.hpp"
#include "proxy/peers.hpp"

namespace ticketgate {

void Connection::note_handshake() {
    caller_.peer.secured = wire_->secured();
    if (peer_.secured == nullptr) return;
    (peer_.secured->resumed ? station_->metrics.tls_resumed : station_->metrics.tls_full).add();
}

// True if the rules for clients' certificates have changed since the handshake. A listener that now
// speaks plain HTTP asks for none.
bool Connection::must_shake_hands_again() const {
    if (peer_.secured == nullptr) return false;
    const auto tls = station_->snapshot()->tls(peer_.listener);
    const std::string now = tls ? tls->guests() : std::string();
    return ticketgate::must_shake_hands_again(caller_.guests, now, tls && tls->requires_guests(),
                                              !peer_.secured->client_fingerprint.empty());
}

// Logs at debug level only: any client can cause a failed handshake. None should reach the listener
// for replicas, and a replica whose handshake fails cannot send requests here.
void Connection::note_failed_handshake(const net::IoResult& got) {
    const bool plain = got.error == net::spoke_plainly;
    const std::string why = plain ? "plain HTTP" : wire_->fault();
    if (!why.empty() && wire_->secured() == nullptr) tell_failed_handshake(why);
}

void Connection::tell_failed_handshake(const std::string& why) {
    station_->metrics.tls_failed.add();
    Peers* const peers = station_->commons.peers.get();
    if (peer_.replica && peers != nullptr && peers->tells("from " + peer_.ip, why))
        station_->commons.log.warn("a TLS handshake of another replica failed",
                                   {{"client_ip", peer_.ip}, {"why", why}});
    station_->commons.log.debug("a TLS handshake failed", {{"client_ip", peer_.ip}, {"why", why}});
}

// In a handshake there is nobody to answer: the connection ends.
errc Connection::refuse(errc failure) {
    if (wire_->held() == 0 || wire_->secured() != nullptr) return failure;
    tell_failed_handshake(failure == errc::input_full ? "max_input is full"
                                                      : "it took longer than head_timeout");
    return errc::idle;
}

// Judges the peer by the snapshot in force, if an earlier one judged it last.
error_code Connection::judge() {
    const Snapshot& snapshot = *station_->snapshot();
    if (caller_.judged_by == snapshot.number) return {};
    const Claim* const claim = caller_.claim.get();
    Peer peer = believed(claim == nullptr ? peer_ : claim->sender,
                         claim == nullptr ? nullptr : &claim->header, snapshot.trusted);
    peer.secured = peer_.secured;
    caller_.peer = std::move(peer);
    admission_.count_as(peer_.many ? std::string_view() : peer_.ip);
    if (must_shake_hands_again()) return errc::handshake_outdated;
    caller_.judged_by = snapshot.number;
    return {};
}

}  // namespace ticketgate
