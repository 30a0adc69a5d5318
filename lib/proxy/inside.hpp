// Is a request a call of the backend to its own site? Pure.
#pragma once

#include "proxy/snapshot.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

/// True if it comes from clients.inside, and no header tells that a proxy there passes a client on
/// (CONTRACT 10).
bool is_inside(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer);

/// True if it looks like a call of an application to its own site: its User-Agent names its own
/// Host, as WordPress does. Anyone can send that: good for a hint in the log only.
bool looks_like_own_call(const http::RequestHead& head);

}  // namespace ticketgate
