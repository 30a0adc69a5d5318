// Finished requests for the tests of this folder.
#pragma once

#include <string>

#include "trace/finished.hpp"

namespace ticketgate::trace {

inline const std::string trace_text = "4bf92f3577b34da6a3ce929d0e0e4736";

inline SpanId span_id(char digit) {
    SpanId id;
    id.fill(digit);
    return id;
}

/// Answered without a queue and without a backend: one span.
inline Finished answered() {
    Finished out;
    out.own = {trace_id(trace_text), span_id('a'), sampled_flag};
    out.received.unix_us = 1'700'000'000'000'000;
    out.whole = {0ms, 5ms};
    out.method = "GET";
    out.path = "/x";
    out.client = "192.0.2.1";
    out.request_id = "r1";
    out.status = 200;
    out.outcome = "bypass";
    return out;
}

/// Waited, held its slot for longer than its answer took, and had a backend: four spans.
inline Finished queued() {
    Finished out = answered();
    out.parent = span_id('9');
    out.state = "congo=t61rcWkgMzE";
    out.wait = span_id('b');
    out.hold = span_id('c');
    out.backend_span = span_id('d');
    out.waited = Part{0ms, 2ms};
    out.held = Part{2ms, 6ms};
    out.backend = Part{2ms, 3ms};
    out.queue = "q";
    out.number = 7;
    out.position = 1;
    out.backend_status = 200;
    out.outcome = "admitted";
    out.upstream = "app";
    out.server = "127.0.0.1";
    out.port = 8000;
    return out;
}

}  // namespace ticketgate::trace
