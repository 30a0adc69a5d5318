// The backend's half of a request: the exchange with the backend. A coroutine of its own that owns
// the slot and ends with the backend, never with the client: a client that leaves, or reads slowly,
// does not change which request may run (CONTRACT 2).
#pragma once

#include <memory>

#include "gate/gate.hpp"
#include "proxy/request.hpp"
#include "proxy/station.hpp"

namespace ticketgate {

/// Starts the exchange on the station's loop. The run gives `slot` back when the backend is done;
/// without a slot the request is not queued.
void start_run(Station& station, std::shared_ptr<Request> request, Slot slot);

}  // namespace ticketgate
