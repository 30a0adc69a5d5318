#include "metrics/prometheus.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ticketgate::metrics {
namespace {

constexpr std::string_view type_name(Type type) {
    switch (type) {
        case Type::counter:
            return "counter";
        case Type::gauge:
            return "gauge";
        case Type::histogram:
            return "histogram";
    }
    return "untyped";
}

// The shortest text that reads back as the same number; whole numbers without an exponent.
void append_number(std::string& out, double value) {
    if (std::isnan(value)) return void(out.append("NaN"));
    if (std::isinf(value)) return void(out.append(value > 0 ? "+Inf" : "-Inf"));
    std::array<char, 32> text;
    const bool whole = value == std::trunc(value) && std::abs(value) < 1e17;
    const auto end = whole
                         ? std::to_chars(text.begin(), text.end(), static_cast<std::int64_t>(value))
                         : std::to_chars(text.begin(), text.end(), value);
    out.append(text.data(), end.ptr);
}

// Help text escapes backslash and newline, a label value the quote as well.
void append_escaped(std::string& out, std::string_view text, bool quote) {
    for (const char c : text) {
        if (c == '\n') {
            out.append("\\n");
            continue;
        }
        if (c == '\\' || (quote && c == '"')) out.push_back('\\');
        out.push_back(c);
    }
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
    if (out.back() != '{') out.push_back(',');
    out.append(name).append("=\"");
    append_escaped(out, value, true);
    out.push_back('"');
}

struct Bucket {
    double bound;
};

// `name{labels} `; a bucket has its bound as one more label.
void append_key(std::string& out, std::string_view name, std::string_view suffix,
                const Labels& labels, const Bucket* bucket = nullptr) {
    out.append(name).append(suffix);
    if (!labels.empty() || bucket) {
        out.push_back('{');
        for (const auto& [key, value] : labels) append_label(out, key, value);
        if (bucket) {
            std::string bound;
            append_number(bound, bucket->bound);
            append_label(out, "le", bound);
        }
        out.push_back('}');
    }
    out.push_back(' ');
}

void append_sample(std::string& out, double value) {
    append_number(out, value);
    out.push_back('\n');
}

void append_histogram(std::string& out, const Family& family, const Series& series) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < series.buckets.size(); ++i) {
        total += series.buckets[i];
        const Bucket bucket{i < family.bounds.size() ? family.bounds[i] : HUGE_VAL};
        append_key(out, family.name, "_bucket", series.labels, &bucket);
        append_sample(out, static_cast<double>(total));
    }
    append_key(out, family.name, "_sum", series.labels);
    append_sample(out, series.value);
    append_key(out, family.name, "_count", series.labels);
    append_sample(out, static_cast<double>(total));  // equals the buckets even during an update
}

bool name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
}

}  // namespace

bool valid_name(std::string_view name) {
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
           std::all_of(name.begin(), name.end(), name_character);
}

void append_text(std::string& out, const Family& family) {
    out.append("# HELP ").append(family.name).push_back(' ');
    append_escaped(out, family.help, false);
    out.append("\n# TYPE ").append(family.name).push_back(' ');
    out.append(type_name(family.type)).push_back('\n');
    for (const Series& series : family.series) {
        if (family.type == Type::histogram) {
            append_histogram(out, family, series);
            continue;
        }
        append_key(out, family.name, "", series.labels);
        append_sample(out, series.value);
    }
}

std::string to_text(std::span<const Family> families) {
    std::string out;
    for (const Family& family : families) append_text(out, family);
    return out;
}

}  // namespace ticketgate::metrics
