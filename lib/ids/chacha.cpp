#include "ids/chacha.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ticketgate::ids {
namespace {

static_assert(std::endian::native == std::endian::little);

// Four blocks at once, one per vector lane; the compiler maps the operations to SIMD instructions.
using Lanes __attribute__((vector_size(16))) = std::uint32_t;
constexpr std::size_t lanes = 4, words = 16, block = words * sizeof(std::uint32_t);
using State = std::array<Lanes, words>;

template <int Bits>
Lanes rotated(Lanes x) {
    return x << Bits | x >> (32 - Bits);
}

void quarter_round(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
    d = rotated<16>(d ^ (a += b));
    b = rotated<12>(b ^ (c += d));
    d = rotated<8>(d ^ (a += b));
    b = rotated<7>(b ^ (c += d));
}

void double_round(State& s) {
    for (std::size_t i = 0; i < 4; ++i) quarter_round(s[i], s[i + 4], s[i + 8], s[i + 12]);
    for (std::size_t i = 0; i < 4; ++i)
        quarter_round(s[i], s[(i + 1) % 4 + 4], s[(i + 2) % 4 + 8], s[(i + 3) % 4 + 12]);
}

State start(const ChachaKey& key, std::uint32_t counter, const ChachaNonce& nonce) {
    std::array<std::uint32_t, words> s{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    std::memcpy(&s[4], key.data(), key.size());
    s[12] = counter;
    std::memcpy(&s[13], nonce.data(), nonce.size());
    State state;
    for (std::size_t i = 0; i < words; ++i) state[i] = Lanes{s[i], s[i], s[i], s[i]};
    state[12] += Lanes{0, 1, 2, 3};
    return state;
}

}  // namespace

void chacha(const ChachaKey& key, std::span<std::uint8_t> out, int rounds, std::uint32_t counter,
            const ChachaNonce& nonce) {
    State input = start(key, counter, nonce);
    std::array<std::array<std::uint32_t, words>, lanes> blocks;
    while (!out.empty()) {
        State state = input;
        for (int i = 0; i < rounds; i += 2) double_round(state);
        for (std::size_t i = 0; i < words; ++i) {
            state[i] += input[i];
            for (std::size_t lane = 0; lane < lanes; ++lane) blocks[lane][i] = state[i][lane];
        }
        const auto taken = std::min(out.size(), lanes * block);
        std::memcpy(out.data(), blocks.data(), taken);
        out = out.subspan(taken);
        input[12] += Lanes{lanes, lanes, lanes, lanes};
    }
}

}  // namespace ticketgate::ids
