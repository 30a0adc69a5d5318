#include "net/tls_record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ticketgate::net {

std::string_view next_record(std::span<const iovec> pieces, std::size_t skip,
                             std::span<char, tls_record_size> joined) {
    std::size_t filled = 0;
    for (const iovec& piece : pieces) {
        if (skip >= piece.iov_len) {
            skip -= piece.iov_len;
            continue;
        }
        const char* const bytes = static_cast<const char*>(piece.iov_base) + skip;
        const std::size_t rest = piece.iov_len - std::exchange(skip, 0);
        if (filled == 0 && (rest >= tls_record_size || &piece == &pieces.back()))
            return {bytes, std::min(rest, tls_record_size)};
        const std::size_t part = std::min(rest, tls_record_size - filled);
        std::memcpy(joined.data() + filled, bytes, part);
        filled += part;
        if (filled == tls_record_size) break;
    }
    return {joined.data(), filled};
}

}  // namespace ticketgate::net
