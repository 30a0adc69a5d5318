#include "net/tls_record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ticketgate::net {
namespace {

constexpr std::size_t record_header_size = 5;            // RFC 8446 5.1
constexpr std::size_t most_fragment = (1 << 14) + 2048;  // RFC 5246 6.2.3

}  // namespace

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

std::size_t next_record_size(std::string_view bytes) {
    const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    if (bytes.empty()) return 0;
    const auto type = octet(0);  // from change_cipher_spec to application_data
    if (type < 20 || type > 23) return bytes.size();
    if (bytes.size() < record_header_size) return 0;
    const std::size_t fragment = octet(3) << 8U | octet(4);
    if (octet(1) != 3 || fragment > most_fragment) return bytes.size();
    return bytes.size() < record_header_size + fragment ? 0 : record_header_size + fragment;
}

std::string_view handshake_bytes(std::string_view record) {
    constexpr char handshake = 22;
    if (record.size() < record_header_size || record.front() != handshake) return {};
    return record.substr(record_header_size);
}

}  // namespace ticketgate::net
