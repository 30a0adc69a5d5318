#include "net/tls_hello.hpp"

#include <algorithm>

#include "net/tls_record.hpp"

namespace ticketgate::net {

// A message may be spread over several records, and a record may hold several (RFC 8446 5.1).
bool HelloGuard::takes(std::string_view record) noexcept {
    std::string_view bytes = handshake_bytes(record);
    while (!bytes.empty()) {
        const std::size_t skipped = std::min(rest_, bytes.size());
        rest_ -= skipped;
        bytes.remove_prefix(skipped);
        if (bytes.empty()) break;
        header_[header_size_++] = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (header_size_ == header_.size() && !announces()) return false;
    }
    return true;
}

bool HelloGuard::announces() noexcept {
    header_size_ = 0;
    rest_ = std::size_t{header_[1]} << 16U | std::size_t{header_[2]} << 8U | header_[3];
    constexpr unsigned char client_hello = 1;
    return header_[0] != client_hello || header_.size() + rest_ <= most;
}

}  // namespace ticketgate::net
