// Open connections by client, for limits. Any thread; one lock, taken when a connection begins and
// ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ticketgate {

class ClientCounts {
 public:
    using Counts = std::unordered_map<std::string, std::uint32_t>;
    using Place = Counts::value_type*;

    /// Counts one more connection of this client; null if it has `limit` already.
    Place enter(std::string_view client, std::uint32_t limit);
    void leave(Place);
    std::size_t clients() const;

 private:
    mutable std::mutex lock_;  // guards counts_
    Counts counts_;            // no count is zero; elements keep their addresses
};

/// The key of one client: an IPv4 address, or an IPv6 network of 64 bits, the least that one
/// subscriber has (RFC 6177).
std::string client_key(std::string_view ip);

}  // namespace ticketgate
