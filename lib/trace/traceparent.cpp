#include "trace/traceparent.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace ticketgate::trace {
namespace {

// version-trace id-span id-flags
constexpr std::size_t version_at = 0, trace_at = 3, span_at = 36, flags_at = 53, whole = 55;

bool is_hex(std::string_view text) {
    return text.find_first_not_of(hex_digits) == text.npos;
}

bool is_id(std::string_view text) {
    return is_hex(text) && text.find_first_not_of('0') != text.npos;
}

bool has_shape(std::string_view value) {
    if (value.size() < whole || value[trace_at - 1] != '-' || value[span_at - 1] != '-' ||
        value[flags_at - 1] != '-')
        return false;
    const auto version = value.substr(version_at, 2);
    if (!is_hex(version) || version == "ff") return false;
    if (value.size() == whole) return true;
    return version != "00" && value[whole] == '-';
}

std::uint8_t byte_of(std::string_view hex) {
    return static_cast<std::uint8_t>(hex_value(hex[0]) * 16 + hex_value(hex[1]));
}

template <class Id>
Id copy(std::string_view hex) {
    Id id;
    std::copy_n(hex.data(), id.size(), id.data());
    return id;
}

}  // namespace

TraceId trace_id(std::string_view hex128) {
    return copy<TraceId>(hex128);
}

std::array<SpanId, 2> span_ids(std::string_view hex128) {
    return {copy<SpanId>(hex128), copy<SpanId>(hex128.substr(16))};
}

std::optional<Traceparent> read_traceparent(std::string_view value) {
    if (!has_shape(value)) return std::nullopt;
    const auto trace = value.substr(trace_at, 32), span = value.substr(span_at, 16);
    const auto flags = value.substr(flags_at, 2);
    if (!is_id(trace) || !is_id(span) || !is_hex(flags)) return std::nullopt;
    return Traceparent{copy<TraceId>(trace), copy<SpanId>(span),
                       static_cast<std::uint8_t>(byte_of(flags) & (sampled_flag | random_flag))};
}

void append_traceparent(std::string& out, const Traceparent& parent) {
    const auto flags = hex_pair(parent.flags);
    out.append("00-").append(view(parent.trace)).append("-").append(view(parent.span));
    out.append("-").append(flags.data(), flags.size());
}

// The last 56 bits are the random ones (level 2); so do other samplers of ratios decide.
bool is_in_sample(const TraceId& id, std::uint32_t millionths) {
    constexpr std::uint64_t million = 1'000'000, all = 1ull << 56;
    std::uint64_t random = 0;
    for (std::size_t i = id.size() - 14; i < id.size(); ++i)
        random = random << 4 | static_cast<std::uint64_t>(hex_value(id[i]));
    return millionths != 0 &&
           random >= all / million * (million - std::min<std::uint64_t>(millionths, million));
}

}  // namespace ticketgate::trace
