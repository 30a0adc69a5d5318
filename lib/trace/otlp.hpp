// OTLP over HTTP in its JSON encoding: what is posted to a collector, and what it answers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trace/span.hpp"

namespace ticketgate::trace {

/// Who exports.
struct Service {
    std::string name, version;
    std::string instance;  ///< of this process
};

/// An ExportTraceServiceRequest.
std::string encode(const Service& service, std::span<const Span> spans);

/// The partial success of an ExportTraceServiceResponse.
struct Partial {
    std::uint64_t rejected = 0;  ///< spans
    std::string why;
};
/// Nothing of that kind: all was taken.
Partial read_partial(std::string_view body);

}  // namespace ticketgate::trace
