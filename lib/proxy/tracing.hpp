// The part of a request in a trace (W3C Trace Context): continued or begun at its head, told to the
// backend, and finished with its record. Pure but for the loop's generator of ids.
#pragma once

#include <memory>
#include <string>

#include "config/model_tracing.hpp"
#include "http/head.hpp"
#include "ids/generator.hpp"
#include "trace/finished.hpp"

namespace ticketgate {

struct Request;

/// Null: the head passes as it is. So does one whose trace is not sampled.
std::unique_ptr<trace::Begun> begin_trace(const http::RequestHead&, const config::Tracing&,
                                          ids::Generator&);

/// Appends the line `traceparent` with the backend's span.
void stamp_trace(const trace::Begun&, std::string& lines);

/// Session and run of the request have ended.
trace::Finished finish_trace(const Request&, ids::Generator&);

}  // namespace ticketgate
