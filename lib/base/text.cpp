#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace ticketgate {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array duration_units{Unit{"ms", 1}, Unit{"s", 1e3}, Unit{"m", 6e4},
                                    Unit{"h", 3.6e6}};
constexpr std::array size_units{Unit{"", 1},
                                Unit{"B", 1},
                                Unit{"KiB", 1024},
                                Unit{"MiB", 1048576.0},
                                Unit{"GiB", 1073741824.0},
                                Unit{"kB", 1e3},
                                Unit{"MB", 1e6},
                                Unit{"GB", 1e9}};

// Parses a decimal number without sign or exponent, followed by one of the units.
template <class Units>
std::optional<double> parse_quantity(std::string_view text, const Units& units) {
    double number = 0;
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const Unit& known : units)
        if (known.name == unit) return number * known.factor;
    return std::nullopt;
}

// Prints in the largest unit that divides the value.
template <class Units>
std::string print_quantity(std::uint64_t value, const Units& units) {
    const Unit* best = &units[0];
    for (const Unit& unit : units) {
        const auto factor = static_cast<std::uint64_t>(unit.factor);
        if (value != 0 && value % factor == 0 && unit.factor >= best->factor) best = &unit;
    }
    return std::to_string(value / static_cast<std::uint64_t>(best->factor)) +
           std::string(best->name);
}

}  // namespace

bool iequals(std::string_view a, std::string_view b) {
    if (a == b) return true;  // names nearly always have their usual spelling
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return to_lower(x) == to_lower(y);
           });
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool list_has(std::string_view list, std::string_view element) {
    bool found = false;
    for_each_element(list, [&](std::string_view e) { found = found || iequals(e, element); });
    return found;
}

std::optional<milliseconds> parse_duration(std::string_view text) {
    const auto value = parse_quantity(text, duration_units);
    if (!value || *value > 1e15) return std::nullopt;
    return milliseconds(std::llround(*value));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    const auto value = parse_quantity(text, size_units);
    if (!value || *value > 1e18) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*value));
}

std::string print_duration(milliseconds value) {
    if (value == never) return "never";
    return print_quantity(static_cast<std::uint64_t>(value.count()), duration_units);
}

std::string print_size(std::uint64_t bytes) {
    constexpr std::array binary{Unit{"B", 1}, Unit{"KiB", 1024}, Unit{"MiB", 1048576.0},
                                Unit{"GiB", 1073741824.0}};
    return print_quantity(bytes, binary);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto replaced = diagonal + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace ticketgate
