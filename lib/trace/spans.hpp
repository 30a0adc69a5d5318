// Makes the spans of a finished request. Pure.
#pragma once

#include <vector>

#include "trace/finished.hpp"
#include "trace/span.hpp"

namespace ticketgate::trace {

/// The span of the request first; wait, hold and backend are its children. Attributes have the
/// names of OpenTelemetry's conventions for HTTP; our own begin with `ticketgate.`.
std::vector<Span> spans_of(const Finished& request);

}  // namespace ticketgate::trace
