// ChaCha (RFC 8439) as a random number generator: expands 32 random bytes from the kernel to a
// page, at a fifth of the kernel's cost. Pure; any thread. The default is 8 rounds, as in Go's
// runtime; no attack on more than 7 is known. `rounds` is a parameter so that a test can check the
// RFC's own vector.
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
