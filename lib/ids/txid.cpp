#include "ids/txid.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::size_t size_bytes = 12;
constexpr std::uint64_t low_mask = (std::uint64_t{1} << 54) - 1;

}  // namespace

Id encode_txid(std::uint64_t unix_ms, std::uint64_t low54) {
    const std::uint64_t high = unix_ms << 22 | (low54 & low_mask) >> 32;
    std::array<std::uint8_t, 24> text;
    auto* out = store_be(text.data(), base32hex_word(high >> 24));
    out = store_be(out, base32hex_word((high & 0xffffff) << 16 | (low54 >> 16 & 0xffff)));
    store_be(out, base32hex_word((low54 & 0xffff) << 24));  // 16 bits: only four characters count
    Id id;
    std::memcpy(id.write(base32_size(size_bytes)), text.data(), base32_size(size_bytes));
    return id;
}

std::optional<TxidParts> decode_txid(std::string_view text) {
    std::array<std::uint8_t, size_bytes> packed;
    if (decode_base32hex(text, packed) != size_bytes) return std::nullopt;
    const auto high = load_be<std::uint64_t>(packed.data());
    const auto low = load_be<std::uint32_t>(packed.data() + sizeof high);
    return TxidParts{high >> 22, (high << 32 & low_mask) | low};
}

Id Txid::next(WallTime now) {
    const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now.unix_ms(), 0));
    if (ms > ms_ || !started_) {
        start(ms);
    } else {
        // The same millisecond, or the clock went back: the time stays and the random field rises
        // by a random step.
        low_ += std::uint64_t{entropy_->u16()} + 1;
        if (low_ > low_mask) start(ms_ + 1);
    }
    return encode_txid(ms_, low_);
}

// The top bit is left clear, so that at least two million steps fit above any start.
void Txid::start(std::uint64_t ms) {
    started_ = true;
    ms_ = ms;
    low_ = entropy_->u64() & (low_mask >> 1);
}

}  // namespace ticketgate::ids
