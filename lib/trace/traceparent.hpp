// The header `traceparent` of W3C Trace Context: the trace that a request belongs to, and the span
// that sent it. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ticketgate::trace {

/// Lower-case hex digits, never all zero.
using TraceId = std::array<char, 32>;
using SpanId = std::array<char, 16>;

template <class Id>
std::string_view view(const Id& id) {
    return {id.data(), id.size()};
}

/// Ids of 32 hex digits: one of a trace, or two of spans.
TraceId trace_id(std::string_view hex128);
std::array<SpanId, 2> span_ids(std::string_view hex128);

inline constexpr std::uint8_t sampled_flag = 1;
/// The trace id is random in its last 56 bits (Trace Context level 2).
inline constexpr std::uint8_t random_flag = 2;

struct Traceparent {
    TraceId trace{};
    SpanId span{};
    std::uint8_t flags = 0;  ///< only the two above

    bool sampled() const { return (flags & sampled_flag) != 0; }
    bool operator==(const Traceparent&) const = default;
};

/// Reads the value of one header. Of a version after 00 it takes what it knows and ignores the
/// rest. nullopt: not valid, so the request counts as one without a trace.
std::optional<Traceparent> read_traceparent(std::string_view value);

/// Appends it in version 00.
void append_traceparent(std::string& out, const Traceparent& parent);

/// True for `millionths` of all random trace ids; the same for one id everywhere.
bool is_in_sample(const TraceId& id, std::uint32_t millionths);

}  // namespace ticketgate::trace
