// Cuts plain bytes into TLS records, and finds where a received record ends. Pure.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace ticketgate::net {

inline constexpr std::size_t tls_record_size = 16 << 10;  // RFC 8446 5.1: the largest

/// The bytes of the next record, after the first `skip` of `pieces`; empty when none are left.
/// Joins small pieces in `joined`: a record for each would cost the peer more than the copy costs
/// here.
std::string_view next_record(std::span<const iovec> pieces, std::size_t skip,
                             std::span<char, tls_record_size> joined);

/// The size of the record that `bytes` begin with, header and all; 0: not all of it is there.
/// Bytes that are not TLS, or a record above the limit, count as one of this size: OpenSSL refuses
/// them at their header.
std::size_t next_record_size(std::string_view bytes);

/// The bytes of handshake messages in a whole record; empty if it has none, or is no record.
std::string_view handshake_bytes(std::string_view record);

}  // namespace ticketgate::net
