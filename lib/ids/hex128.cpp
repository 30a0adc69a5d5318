#include "ids/hex128.hpp"

#include "base/bytes.hpp"

namespace ticketgate::ids {

Id Hex128::next(WallTime) {
    const auto high = entropy_->u64();
    Id id;
    encode_hex128(high, entropy_->u64(), id.write(32));
    return id;
}

}  // namespace ticketgate::ids
