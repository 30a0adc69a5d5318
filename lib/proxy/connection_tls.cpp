// Judges the peer: by its TLS handshake, which its first read contains, and by the snapshot in
// force.
#include "net/tls_stream.hpp"
#include "proxy/connection.hpp"
#include "proxy/peers.hpp"

namespace ticketgate {
namespace {

constexpr const char* too_slow = "it took longer than head_timeout";

}  // namespace

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

// Counts a handshake that began and did not end well, whatever cut it.
void Connection::note_cut_handshake() {
    const std::string fault = wire_->fault();
    if (requests_ != 0 || fault.empty() || wire_->secured() != nullptr) return;
    const std::string_view cut_by = why_cut();
    tell_failed_handshake(cut_by.empty() ? fault : std::string(cut_by));
}

// Empty: the fault says it.
std::string_view Connection::why_cut() const {
    if (cut_by_ != nullptr) return cut_by_;
    if (makes_room_) return "it made room for another client";
    if (wire_->broken()) return {};
    if (wire_->fin()) return "the client closed the connection";
    if (station_->draining() || station_->stopping() || station_->handed_over())
        return "this process ends";
    return deadline_.expired() ? too_slow : std::string_view();
}

// Logs at debug level only: any client can cause a failed handshake. None should reach the listener
// for replicas, and a replica whose handshake fails cannot send requests here.
void Connection::tell_failed_handshake(const std::string& why) {
    station_->metrics.tls_failed.add();
    Peers* const peers = station_->commons.peers.get();
    const bool leaves = makes_room_ || (wire_->fin() && !wire_->broken()) || station_->draining();
    if (peer_.replica && !leaves && peers != nullptr && peers->tells("from " + peer_.ip, why))
        station_->commons.log.warn("a TLS handshake of another replica failed",
                                   {{"client_ip", peer_.ip}, {"why", why}});
    station_->commons.log.debug("a TLS handshake failed", {{"client_ip", peer_.ip}, {"why", why}});
}

// In a handshake there is nobody to answer: the connection ends.
errc Connection::refuse(errc failure) {
    if (wire_->held() == 0 || wire_->secured() != nullptr) return failure;
    cut_by_ = failure == errc::input_full ? "max_input is full" : too_slow;
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
