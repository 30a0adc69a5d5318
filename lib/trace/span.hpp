// One span as OpenTelemetry knows it; a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trace/traceparent.hpp"

namespace ticketgate::trace {

/// The numbers are those of OTLP.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };

struct Span {
    using Value = std::variant<std::string, std::int64_t, bool>;

    TraceId trace{};
    SpanId id{};
    std::optional<SpanId> parent;
    std::string state;  ///< `tracestate`
    std::uint8_t flags = 0;
    bool remote_parent = false;  ///< another process made the parent
    std::string name;
    SpanKind kind = SpanKind::internal;
    std::int64_t begin_ns = 0, end_ns = 0;  ///< since 1970
    std::vector<std::pair<std::string_view, Value>> attributes;
    bool failed = false;
};

}  // namespace ticketgate::trace
