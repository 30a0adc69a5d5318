#include "ids/entropy.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "ids/chacha.hpp"

namespace ticketgate::ids {
namespace {

// splitmix64's output step: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

template <class Clock>
std::uint64_t ticks() {
    return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
}

// Fills `out` when the kernel gives nothing, from what differs between two generators: the time,
// the process, the buffer's address, and the number of failures so far.
void fill_without_source(std::span<std::uint8_t> out, std::uint64_t times) {
    std::uint64_t state = mix(ticks<std::chrono::system_clock>());
    state = mix(state ^ ticks<std::chrono::steady_clock>());
    state = mix(state ^ static_cast<std::uint64_t>(getpid()));
    state = mix(state ^ reinterpret_cast<std::uintptr_t>(out.data()));
    state = mix(state ^ times);
    for (std::size_t done = 0; done < out.size(); done += sizeof state) {
        const std::uint64_t word = mix(state += 0x9e3779b97f4a7c15u);
        std::memcpy(out.data() + done, &word, std::min(sizeof word, out.size() - done));
    }
}

}  // namespace

bool kernel_random(std::span<std::uint8_t> out) {
    // A signal may cut a read of more than 256 bytes short; a few tries, then the caller's
    // fallback.
    for (int tries = 0; tries < 8 && !out.empty(); ++tries) {
        const auto got = getrandom(out.data(), out.size(), GRND_NONBLOCK);
        if (got > 0) out = out.subspan(static_cast<std::size_t>(got));
    }
    return out.empty();
}

bool random_page(std::span<std::uint8_t> out) {
    ChachaKey key;
    if (!kernel_random(key)) return false;
    chacha(key, out);
    explicit_bzero(key.data(), key.size());
    return true;
}

Entropy::Entropy() : Entropy(random_page) {}

Entropy::Entropy(Source source) : source_(std::move(source)) {}

void Entropy::fill(std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = take<std::uint8_t>();
}

void Entropy::refill() {
    if (!source_(buffer_)) fill_without_source(buffer_, ++failures_);
    used_ = 0;
}

}  // namespace ticketgate::ids
