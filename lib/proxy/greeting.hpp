// The start of a connection: reads the PROXY header, where the listener has one, and checks whether
// this client may have one more connection. Then its session begins.
#pragma once

#include <memory>

#include "net/stream.hpp"
#include "proxy/admission.hpp"
#include "proxy/standing.hpp"
#include "proxy/station.hpp"

namespace ticketgate {

/// A connection that was accepted. Its first request is read on `station`; it settles on
/// `settle_on`, as in Connection.
struct Arrival {
    Station& station;
    Station& settle_on;
    std::unique_ptr<net::SocketStream> client;
    Peer peer;
    Admission admission;
    Time arrived_after{};                          ///< Time{}: not known
    bool proxy_protocol = false;                   ///< a PROXY header comes first
    std::unique_ptr<const Claim> claim = nullptr;  ///< that header
};

/// Begins the session, after the PROXY header if there is one. On the thread of `station`.
void greet(Arrival arrival);

}  // namespace ticketgate
