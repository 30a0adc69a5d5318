// Metrics as plain values and their text: the Prometheus exposition format 0.0.4. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ticketgate::metrics {

/// Names and values. No value may come from a user: each new value is a new series for ever.
using Labels = std::vector<std::pair<std::string, std::string>>;

enum class Type : std::uint8_t { counter, gauge, histogram };

struct Series {
    Labels labels;
    double value = 0;                    ///< of a counter or gauge; the sum of a histogram
    std::vector<std::uint64_t> buckets;  ///< of a histogram: not cumulative, the last up to +Inf
};

struct Family {
    std::string name, help;
    Type type = Type::gauge;
    std::vector<double> bounds;  ///< of a histogram, without +Inf
    std::vector<Series> series;
};

/// The Content-Type of the text.
inline constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

void append_text(std::string& out, const Family& family);
std::string to_text(std::span<const Family> families);

/// [a-zA-Z_:][a-zA-Z0-9_:]*
bool valid_name(std::string_view name);

}  // namespace ticketgate::metrics
