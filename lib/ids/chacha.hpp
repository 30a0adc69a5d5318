// ChaCha (RFC 8439) as a stretcher of seeds: 32 random bytes of the kernel's become a page of them
// at a fifth of the kernel's price. Pure; any thread. With 8 rounds, as Go's runtime uses for all
// its random numbers; no attack on more than 7 is known. The rounds are a parameter so that the
// RFC's own vector can be checked.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ticketgate::ids {

using ChachaKey = std::array<std::uint8_t, 32>;
using ChachaNonce = std::array<std::uint8_t, 12>;

/// Fills `out` with the key stream, from block `counter` on.
void chacha(const ChachaKey& key, std::span<std::uint8_t> out, int rounds = 8,
            std::uint32_t counter = 0, const ChachaNonce& nonce = {});

}  // namespace ticketgate::ids
