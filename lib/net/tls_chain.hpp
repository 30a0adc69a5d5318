// Bounds what the certificates of a stranger cost: OpenSSL parses all that come, key by key, before
// it looks whether it trusts the first. Sees their message before OpenSSL parses it. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace ticketgate::net {

// Chains of clients have one to four certificates of one to two KiB, with about a hundred elements
// each.
inline constexpr std::size_t most_chain_bytes = 16 << 10;  ///< of the message; OpenSSL holds it
inline constexpr std::size_t most_chain_certificates = 10;
/// Elements of ASN.1, in all certificates: two bytes of them can make 72 in memory.
inline constexpr std::size_t most_chain_elements = 1800;

/// Returns why OpenSSL should not parse this handshake message; null: it may, as it is no
/// Certificate, or a small one. `in_1_3`: of TLS 1.3, which has another form.
const char* why_costly(std::string_view message, bool in_1_3);

}  // namespace ticketgate::net
