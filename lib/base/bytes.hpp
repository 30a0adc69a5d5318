// Converts bytes to text and back: big-endian numbers, hex, base32hex, base64. Pure; any thread.
// Encoders write into the caller's buffer, which has room for XXX_size(n) characters, and return
// how many they wrote. They write no padding; unused bits at the end are zero. Decoders are strict:
// they refuse a text that the encoder cannot have made, so every value has one spelling.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace ticketgate {

/// Returns the value with its bytes in big-endian order. Compiles to one instruction; g++ 12 does
/// not find that instruction in a loop of shifts.
template <std::unsigned_integral T>
constexpr T big_endian(T value) {
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

/// Writes the value in big-endian order and returns the position after it.
template <std::unsigned_integral T>
std::uint8_t* store_be(std::uint8_t* out, T value) {
    value = big_endian(value);
    std::memcpy(out, &value, sizeof value);
    return out + sizeof value;
}

template <std::unsigned_integral T>
T load_be(const std::uint8_t* in) {
    T value;
    std::memcpy(&value, in, sizeof value);
    return big_endian(value);
}

constexpr std::size_t hex_size(std::size_t bytes) {
    return bytes * 2;
}
constexpr std::size_t base32_size(std::size_t bytes) {
    return (bytes * 8 + 4) / 5;
}
constexpr std::size_t base64_size(std::size_t bytes) {
    return (bytes * 8 + 5) / 6;
}

inline constexpr std::string_view hex_digits = "0123456789abcdef";
inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";
inline constexpr std::string_view base32hex_digits = "0123456789abcdefghijklmnopqrstuv";
inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns the value of a hex digit in either case; -1 for any other character.
constexpr int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Returns the two hex digits of a byte.
constexpr std::array<char, 2> hex_pair(std::uint8_t byte, std::string_view digits = hex_digits) {
    return {digits[byte >> 4], digits[byte & 15]};
}

// Return eight characters at once, the first in the highest byte; for fixed layouts.
constexpr std::uint64_t base32hex_word(std::uint64_t bits);  ///< from 40 bits
constexpr std::uint64_t crockford_word(std::uint64_t bits);  ///< from 40 bits, Crockford's alphabet

std::size_t encode_hex(std::span<const std::uint8_t> bytes, char* out);
/// Writes 128 bits as 32 digits at once, in a fifth of the time of table look-ups.
void encode_hex128(std::uint64_t high, std::uint64_t low, char* out);
std::size_t encode_base32hex(std::span<const std::uint8_t> bytes, char* out);
/// `digits`: 64 characters, value 0 first.
std::size_t encode_base64(std::span<const std::uint8_t> bytes, std::string_view digits, char* out);

/// Returns the number of bytes written; nothing if the text is malformed or `out` too small. Lower
/// case only.
std::optional<std::size_t> decode_hex(std::string_view text, std::span<std::uint8_t> out);
std::optional<std::size_t> decode_base32hex(std::string_view text, std::span<std::uint8_t> out);
std::optional<std::size_t> decode_base64(std::string_view text, std::string_view digits,
                                         std::span<std::uint8_t> out);

inline constexpr std::uint64_t byte_ones = 0x0101010101010101u;

// Returns 1 in each byte whose value (at most 31) is above the limit.
constexpr std::uint64_t bytes_above(std::uint64_t bytes, std::uint64_t limit) {
    return (bytes + byte_ones * (0x7f - limit)) >> 7 & byte_ones;
}

// Spreads the 40 bits to five a byte; then all eight bytes become letters at once, in a third of
// the time of eight table look-ups.
constexpr std::uint64_t spread_fives(std::uint64_t bits) {
    bits = (bits & 0xfffff) | (bits & 0xfffff00000u) << 12;
    bits = (bits & 0x000003ff000003ffu) | (bits & 0x000ffc00000ffc00u) << 6;
    return (bits & 0x001f001f001f001fu) | (bits & 0x03e003e003e003e0u) << 3;
}

constexpr std::uint64_t base32hex_word(std::uint64_t bits) {
    const auto values = spread_fives(bits);
    return values + byte_ones * '0' + bytes_above(values, 9) * ('a' - '9' - 1);
}

// Crockford's alphabet has no I, L, O and U: skips one more letter after H, K, N and T.
constexpr std::uint64_t crockford_word(std::uint64_t bits) {
    const auto values = spread_fives(bits);
    return values + byte_ones * '0' + bytes_above(values, 9) * ('A' - '9' - 1) +
           bytes_above(values, 17) + bytes_above(values, 19) + bytes_above(values, 21) +
           bytes_above(values, 26);
}

}  // namespace ticketgate
