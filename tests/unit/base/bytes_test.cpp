#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace ticketgate {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

std::string hex(const Bytes& bytes) {
    std::string out(hex_size(bytes.size()), '?');
    EXPECT_EQ(encode_hex(bytes, out.data()), out.size());
    return out;
}

std::string base32(const Bytes& bytes) {
    std::string out(base32_size(bytes.size()), '?');
    EXPECT_EQ(encode_base32hex(bytes, out.data()), out.size());
    return out;
}

std::string base64(const Bytes& bytes) {
    std::string out(base64_size(bytes.size()), '?');
    EXPECT_EQ(encode_base64(bytes, base64url_digits, out.data()), out.size());
    return out;
}

template <class Decode>
std::optional<Bytes> decoded(Decode decode, std::string_view text) {
    Bytes out(text.size());
    const auto size = decode(text, std::span(out));
    if (!size) return std::nullopt;
    out.resize(*size);
    return out;
}

std::optional<Bytes> base64_back(std::string_view text) {
    return decoded([](auto t, auto o) { return decode_base64(t, base64url_digits, o); }, text);
}

TEST(Bytes, StoresTheHighByteFirst) {
    std::array<std::uint8_t, 15> out{};
    auto* end = store_be(out.data(), std::uint8_t{0x01});
    end = store_be(end, std::uint16_t{0x0203});
    end = store_be(end, std::uint32_t{0x04050607});
    end = store_be(end, std::uint64_t{0x08090a0b0c0d0e0f});
    EXPECT_EQ(end, out.data() + out.size());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i + 1);
    EXPECT_EQ(load_be<std::uint16_t>(&out[1]), 0x0203);
    EXPECT_EQ(load_be<std::uint32_t>(&out[3]), 0x04050607u);
    EXPECT_EQ(load_be<std::uint64_t>(&out[7]), 0x08090a0b0c0d0e0fu);
}

// RFC 4648 section 10, without the padding and in lower case.
TEST(Bytes, Base32HexAsInTheRfc) {
    EXPECT_EQ(base32(bytes_of("")), "");
    EXPECT_EQ(base32(bytes_of("f")), "co");
    EXPECT_EQ(base32(bytes_of("fo")), "cpng");
    EXPECT_EQ(base32(bytes_of("foo")), "cpnmu");
    EXPECT_EQ(base32(bytes_of("foob")), "cpnmuog");
    EXPECT_EQ(base32(bytes_of("fooba")), "cpnmuoj1");
    EXPECT_EQ(base32(bytes_of("foobar")), "cpnmuoj1e8");
}

TEST(Bytes, Base64AsInTheRfc) {
    EXPECT_EQ(base64(bytes_of("")), "");
    EXPECT_EQ(base64(bytes_of("f")), "Zg");
    EXPECT_EQ(base64(bytes_of("fo")), "Zm8");
    EXPECT_EQ(base64(bytes_of("foo")), "Zm9v");
    EXPECT_EQ(base64(bytes_of("foob")), "Zm9vYg");
    EXPECT_EQ(base64(bytes_of("fooba")), "Zm9vYmE");
    EXPECT_EQ(base64(bytes_of("foobar")), "Zm9vYmFy");
    EXPECT_EQ(base64({0xfb, 0xff, 0xbf}), "-_-_");
}

TEST(Bytes, AllDigitsOfBase32Hex) {
    std::string all;
    for (unsigned value = 0; value < 32; ++value)
        all.push_back(base32({static_cast<std::uint8_t>(value << 3)})[0]);
    EXPECT_EQ(all, base32hex_digits);
}

TEST(Bytes, HexIsLowerCase) {
    EXPECT_EQ(hex({0x00, 0x9f, 0xff}), "009fff");
}

TEST(Bytes, HexDigitsOfEitherCaseHaveAValue) {
    for (unsigned value = 0; value < 256; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        for (const auto digits : {hex_digits, upper_hex_digits}) {
            const auto pair = hex_pair(byte, digits);
            EXPECT_EQ(hex_value(pair[0]) * 16 + hex_value(pair[1]), static_cast<int>(value));
        }
        const char c = static_cast<char>(byte);
        const bool known = std::string_view("0123456789abcdefABCDEF").find(c) != std::string::npos;
        EXPECT_EQ(hex_value(c) >= 0, known) << value;
    }
    EXPECT_EQ(hex_pair(0xa5, upper_hex_digits), (std::array{'A', '5'}));
}

TEST(Bytes, HexOf128BitsAtOnceIsTheSame) {
    std::mt19937_64 random(4711);
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t high = random(), low = random();
        Bytes bytes(16);
        store_be(store_be(bytes.data(), high), low);
        std::string text(32, '?');
        encode_hex128(high, low, text.data());
        EXPECT_EQ(text, hex(bytes));
    }
}

TEST(Bytes, DecodesWhatItEncodes) {
    std::mt19937 random(4711);
    for (std::size_t size = 0; size < 60; ++size) {
        Bytes bytes(size);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        EXPECT_EQ(decoded(decode_hex, hex(bytes)), bytes);
        EXPECT_EQ(decoded(decode_base32hex, base32(bytes)), bytes);
        EXPECT_EQ(base64_back(base64(bytes)), bytes);
    }
}

TEST(Bytes, RefusesTextThatNoEncoderMakes) {
    EXPECT_FALSE(decoded(decode_hex, "0"));
    EXPECT_FALSE(decoded(decode_hex, "0G"));
    EXPECT_FALSE(decoded(decode_hex, "FF"));  // one spelling only
    EXPECT_FALSE(decoded(decode_base32hex, "CO"));
    EXPECT_FALSE(decoded(decode_base32hex, "cw"));
    EXPECT_FALSE(decoded(decode_base32hex, "cp"));   // bits left over are not zero
    EXPECT_FALSE(decoded(decode_base32hex, "c"));    // not even one byte
    EXPECT_FALSE(decoded(decode_base32hex, "cpn"));  // a character that carries nothing
    EXPECT_FALSE(base64_back("Z"));
    EXPECT_FALSE(base64_back("Zh"));
    EXPECT_FALSE(base64_back("Zg=="));
    EXPECT_FALSE(base64_back("Z@"));
}

TEST(Bytes, RefusesAnOutputTooSmall) {
    std::array<std::uint8_t, 2> out;
    EXPECT_EQ(decode_hex("0102", out), 2u);
    EXPECT_FALSE(decode_hex("010203", out));
}

}  // namespace
}  // namespace ticketgate
