// The id formats by name, and what each needs to know about the machine. Pure values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ids/machine.hpp"

namespace ticketgate::ids {

/// In the order in which the config lists them.
enum class Format : std::uint8_t {
    txid,
    uuidv7,
    uuidv4,
    ulid,
    hex128,
    snowflake,
    httpd_1_3,
    httpd_1_3_threads,
    httpd_2_0,
    httpd_2_4_29,
    httpd_2_4_47,
    httpd_2_4_49,
};

inline constexpr std::array<std::string_view, 12> format_names{
    "txid",      "uuidv7",       "uuidv4",       "ulid",
    "hex128",    "snowflake",    "httpd_1_3",    "httpd_1_3_threads",
    "httpd_2_0", "httpd_2_4_29", "httpd_2_4_47", "httpd_2_4_49"};

constexpr std::string_view name_of(Format format) {
    return format_names[static_cast<std::size_t>(format)];
}
/// Also finds `unique_id`, the current generation of httpd.
std::optional<Format> find_format(std::string_view name);

constexpr bool needs_address(Format format) {
    return format >= Format::httpd_1_3 && format <= Format::httpd_2_0;
}
constexpr bool needs_worker(Format format) {
    return format == Format::snowflake;
}

/// Why this machine cannot make this format, and what to do; empty when it can.
std::string why_not(Format format, const Machine& machine);

}  // namespace ticketgate::ids
