#include "base/bytes.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"

namespace ticketgate {
namespace {

template <unsigned Bits>
std::optional<std::size_t> decode(std::string_view text, std::string_view digits,
                                  std::span<std::uint8_t> out) {
    const std::size_t size = text.size() * Bits / 8;
    // Refuses a superfluous last character: it leaves Bits or more bits over.
    if (size > out.size() || text.size() * Bits - size * 8 >= Bits) return std::nullopt;
    unsigned held = 0, held_bits = 0;
    std::size_t done = 0;
    for (const char c : text) {
        const auto value = digits.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        held = held << Bits | static_cast<unsigned>(value);
        held_bits += Bits;
        if (held_bits < 8) continue;
        held_bits -= 8;
        out[done++] = static_cast<std::uint8_t>(held >> held_bits);
    }
    if ((held & ((1u << held_bits) - 1)) != 0) return std::nullopt;
    return done;
}

}  // namespace

std::size_t encode_hex(std::span<const std::uint8_t> bytes, char* out) {
    for (const std::uint8_t byte : bytes) {
        const auto digits = hex_pair(byte);
        out = std::copy(digits.begin(), digits.end(), out);
    }
    return hex_size(bytes.size());
}

void encode_hex128(std::uint64_t high, std::uint64_t low, char* out) {
    using Bytes __attribute__((vector_size(16))) = unsigned char;
    using Words __attribute__((vector_size(16))) = std::uint64_t;
    const auto bytes = std::bit_cast<Bytes>(Words{big_endian(high), big_endian(low)});
    const Bytes upper = bytes >> 4, lower = bytes & 15;
    const Bytes first = __builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                                21, 6, 22, 7, 23);
    const Bytes second = __builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                                 13, 29, 14, 30, 15, 31);
    const auto letters = [](Bytes digits) {
        return digits + '0' + ((digits > 9) & ('a' - '9' - 1));
    };
    const Bytes texts[2] = {letters(first), letters(second)};
    std::memcpy(out, texts, sizeof texts);
}

std::size_t encode_base32hex(std::span<const std::uint8_t> bytes, char* out) {
    for (auto rest = bytes; !rest.empty();) {
        const auto taken = std::min<std::size_t>(rest.size(), 5);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 5; ++i) bits = bits << 8 | (i < taken ? rest[i] : 0u);
        const auto word = big_endian(base32hex_word(bits));
        std::memcpy(out, &word, base32_size(taken));
        out += base32_size(taken);
        rest = rest.subspan(taken);
    }
    return base32_size(bytes.size());
}

std::size_t encode_base64(std::span<const std::uint8_t> bytes, std::string_view digits, char* out) {
    TG_CHECK(digits.size() == 64);
    const auto* in = bytes.data();
    const auto digit = [d = digits.data()](unsigned bits) { return d[bits & 63]; };
    // Unrolled by hand: an id is made for every request, and this halves its cost.
    for (auto groups = bytes.size() / 3; groups != 0; --groups, in += 3) {
        const unsigned bits = unsigned{in[0]} << 16 | unsigned{in[1]} << 8 | in[2];
        *out++ = digit(bits >> 18);
        *out++ = digit(bits >> 12);
        *out++ = digit(bits >> 6);
        *out++ = digit(bits);
    }
    if (const auto rest = bytes.size() % 3; rest != 0) {
        const unsigned bits = unsigned{in[0]} << 10 | (rest == 2 ? unsigned{in[1]} << 2 : 0u);
        *out++ = digit(bits >> 12);
        *out++ = digit(bits >> 6);
        if (rest == 2) *out++ = digit(bits);
    }
    return base64_size(bytes.size());
}

std::optional<std::size_t> decode_hex(std::string_view text, std::span<std::uint8_t> out) {
    return decode<4>(text, hex_digits, out);
}

std::optional<std::size_t> decode_base32hex(std::string_view text, std::span<std::uint8_t> out) {
    return decode<5>(text, base32hex_digits, out);
}

std::optional<std::size_t> decode_base64(std::string_view text, std::string_view digits,
                                         std::span<std::uint8_t> out) {
    TG_CHECK(digits.size() == 64);
    return decode<6>(text, digits, out);
}

}  // namespace ticketgate
