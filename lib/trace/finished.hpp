// What is known of one request for its spans, as plain values. Begun lives with the request; what
// is finished goes to the buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "trace/traceparent.hpp"

namespace ticketgate::trace {

/// The trace of a request that is served. Its session and its run write the times, and read none.
struct Begun {
    Traceparent own;                ///< the trace, and the span of the request
    std::optional<SpanId> parent;   ///< the sender's span; none: the trace begins here
    SpanId backend{};               ///< the span that the backend is told of
    std::string state;              ///< `tracestate` of the sender
    std::string client;             ///< its address
    bool https = false;             ///< the client speaks it
    Time received{};                ///< head complete
    std::optional<Time> granted{};  ///< the slot
    std::optional<Time> sent{};     ///< to the backend
};

/// From, and for how long, counted from the moment at which the request was received.
struct Part {
    Duration from{0}, time{0};
};

/// Most bytes that are kept of a path and a method; of a longer `tracestate`, none.
inline constexpr std::size_t most_path = 2048, most_state = 512, most_method = 64;

struct Finished {
    Traceparent own;
    std::optional<SpanId> parent;
    SpanId wait{}, hold{}, backend_span{};
    std::string state;
    WallTime received;
    Part whole;
    std::optional<Part> waited, held, backend;  ///< absent: the request had no such part

    std::string method, path, client, request_id;
    bool https = false;
    std::string queue;  ///< empty: not queued
    std::uint64_t number = 0;
    std::uint32_t position = 0;
    std::uint16_t status = 0, backend_status = 0;
    std::string_view outcome;  ///< static text
    bool orphaned = false;
    std::string upstream, server;  ///< its name in the config, and its host or socket
    std::uint16_t port = 0;        ///< of the host

    std::size_t spans() const {
        return std::size_t{1} + waited.has_value() + held.has_value() + backend.has_value();
    }
    /// The memory that it uses, about.
    std::size_t bytes() const;
};

}  // namespace ticketgate::trace
