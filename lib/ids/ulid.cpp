#include "ids/ulid.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::size_t ulid_size = 26;
constexpr std::uint64_t mask40 = (std::uint64_t{1} << 40) - 1;
constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

char to_upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

}  // namespace

// 128 bits in 130: two zero bits come first, so the first character is at most 7.
Id encode_ulid(const UlidParts& parts) {
    const std::uint64_t high = parts.unix_ms << 16 | (parts.random_high & 0xffff);
    const std::uint64_t low = parts.random_low;
    std::array<std::uint8_t, 32> text;
    auto* out = store_be(text.data(), crockford_word(high >> 26));
    out = store_be(out, crockford_word((high << 14 | low >> 50) & mask40));
    out = store_be(out, crockford_word(low >> 10 & mask40));
    store_be(out, crockford_word((low & 0x3ff) << 30));  // only two characters count
    Id id;
    std::memcpy(id.write(ulid_size), text.data(), ulid_size);
    return id;
}

std::optional<UlidParts> decode_ulid(std::string_view text) {
    if (text.size() != ulid_size || text[0] > '7') return std::nullopt;
    std::uint64_t high = 0, low = 0;
    for (const char c : text) {
        const auto value = digits.find(to_upper(c));
        if (value == std::string_view::npos) return std::nullopt;
        high = high << 5 | low >> 59;
        low = low << 5 | value;
    }
    return UlidParts{high >> 16, high & 0xffff, low};
}

Id Ulid::next(WallTime now) {
    const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now.unix_ms(), 0));
    if (ms > parts_.unix_ms || !started_)
        start(ms);
    else
        step();
    return encode_ulid(parts_);
}

// The top bit is left clear, so that a millisecond never fills.
void Ulid::start(std::uint64_t ms) {
    started_ = true;
    parts_.unix_ms = ms;
    parts_.random_high = entropy_->u16() & 0x7fffu;
    parts_.random_low = entropy_->u64();
}

void Ulid::step() {
    const std::uint64_t before = parts_.random_low;
    parts_.random_low += std::uint64_t{entropy_->u32()} + 1;
    if (parts_.random_low > before) return;
    if (++parts_.random_high > 0xffff) start(parts_.unix_ms + 1);
}

}  // namespace ticketgate::ids
