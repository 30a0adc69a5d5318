#include "files/ranges.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace ticketgate::files {
namespace {

constexpr std::string_view unit = "bytes=";

enum class Read : std::uint8_t { good, beyond, malformed };

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// A number that does not fit is larger than any file.
std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc() ? value : ~std::uint64_t{0};
}

// `0-99`, `100-`, `-100`.
Read read_one(std::string_view text, std::uint64_t size, Range& out) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return Read::malformed;
    const auto first = text.substr(0, dash), last = text.substr(dash + 1);
    if (first.empty()) {
        if (!is_number(last)) return Read::malformed;
        out.size = std::min(number(last), size);
        out.from = size - out.size;
        return out.size == 0 ? Read::beyond : Read::good;
    }
    if (!is_number(first) || (!last.empty() && !is_number(last))) return Read::malformed;
    out.from = number(first);
    const std::uint64_t end = last.empty() ? ~std::uint64_t{0} : number(last);
    if (end < out.from) return Read::malformed;
    if (out.from >= size) return Read::beyond;
    out.size = std::min(end, size - 1) - out.from + 1;
    return Read::good;
}

bool overlap(const Range& a, const Range& b) {
    return a.from < b.from + b.size && b.from < a.from + a.size;
}

}  // namespace

Ranges read_ranges(std::string_view field, std::uint64_t size) {
    Ranges out;
    if (field.size() < unit.size() || !iequals(field.substr(0, unit.size()), unit)) return out;
    std::size_t count = 0;
    bool whole = false;
    std::vector<Range> parts;
    for_each_element(field.substr(unit.size()), [&](std::string_view element) {
        Range part;
        const Read read = ++count > most_ranges ? Read::malformed : read_one(element, size, part);
        whole = whole || read == Read::malformed;
        if (whole || read != Read::good) return;
        whole = std::ranges::any_of(parts, [&](const Range& p) { return overlap(p, part); });
        parts.push_back(part);
    });
    if (whole || count == 0) return out;
    out.how = parts.empty() ? Ranges::How::unsatisfiable : Ranges::How::parts;
    out.parts = std::move(parts);
    return out;
}

}  // namespace ticketgate::files
