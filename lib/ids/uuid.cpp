#include "ids/uuid.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::size_t uuid_size = 36;
constexpr std::uint64_t variant = std::uint64_t{2} << 62;
constexpr std::uint64_t rand_b_mask = (std::uint64_t{1} << 62) - 1;
constexpr std::array<std::size_t, 4> hyphens{8, 13, 18, 23};

}  // namespace

Id encode_uuid(const Uuid& uuid) {
    std::array<char, 32> digits;
    encode_hex128(uuid.high, uuid.low, digits.data());
    Id id;
    char* text = id.write(uuid_size);
    std::memcpy(text, &digits[0], 8);
    std::memcpy(text + 9, &digits[8], 4);
    std::memcpy(text + 14, &digits[12], 4);
    std::memcpy(text + 19, &digits[16], 4);
    std::memcpy(text + 24, &digits[20], 12);
    for (const auto at : hyphens) text[at] = '-';
    return id;
}

std::optional<Uuid> decode_uuid(std::string_view text) {
    if (text.size() != uuid_size) return std::nullopt;
    std::array<char, 32> digits;
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool hyphen = std::ranges::find(hyphens, i) != hyphens.end();
        if (hyphen != (text[i] == '-')) return std::nullopt;
        if (!hyphen) digits[done++] = to_lower(text[i]);
    }
    std::array<std::uint8_t, 16> bytes;
    if (!decode_hex({digits.data(), digits.size()}, bytes)) return std::nullopt;
    return Uuid{load_be<std::uint64_t>(&bytes[0]), load_be<std::uint64_t>(&bytes[8])};
}

Uuid make_uuid4(std::uint64_t random_high, std::uint64_t random_low) {
    return {(random_high & ~std::uint64_t{0xf000}) | 0x4000, (random_low & rand_b_mask) | variant};
}

Uuid make_uuid7(std::uint64_t unix_ms, std::uint64_t rand_a, std::uint64_t rand_b) {
    return {unix_ms << 16 | 0x7000 | (rand_a & 0xfff), (rand_b & rand_b_mask) | variant};
}

Id Uuid4::next(WallTime) {
    const auto high = entropy_->u64();
    return encode_uuid(make_uuid4(high, entropy_->u64()));
}

Id Uuid7::next(WallTime now) {
    const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now.unix_ms(), 0));
    if (ms > ms_ || !started_)
        start(ms);
    else
        step();
    return encode_uuid(make_uuid7(ms_, rand_a_, rand_b_));
}

// RFC 9562 6.2, counter rollover: the top bit is left clear, so that a millisecond never fills.
void Uuid7::start(std::uint64_t ms) {
    started_ = true;
    ms_ = ms;
    rand_a_ = entropy_->u16() & 0x7ffu;
    rand_b_ = entropy_->u64() & rand_b_mask;
}

void Uuid7::step() {
    rand_b_ += std::uint64_t{entropy_->u32()} + 1;
    if (rand_b_ <= rand_b_mask) return;
    rand_b_ &= rand_b_mask;
    if (++rand_a_ > 0xfff) start(ms_ + 1);
}

}  // namespace ticketgate::ids
