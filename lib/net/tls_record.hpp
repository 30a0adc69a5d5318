// Cuts plain bytes into TLS records. Pure.
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

}  // namespace ticketgate::net
