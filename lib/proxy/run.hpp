// The back half of a request: the exchange with the backend. A coroutine of its own that owns the
// slot and ends with the backend, never with the client: so a client that leaves, or reads slowly,
// changes nothing about who may run (CONTRACT 2).
#pragma once

#include <memory>

#include "proxy/request.hpp"
#include "proxy/station.hpp"

namespace ticketgate {

/// Starts the exchange on the station's loop. A request that holds a granted place brings its slot;
/// the run gives it back when the backend is done. Error, slot_revoked: an operator took the slot
/// since the grant; nothing was started.
error_code start_run(Station& station, std::shared_ptr<Request> request);

}  // namespace ticketgate
