// Networks of clients' addresses, IPv4 and IPv6, and `unix` for every client on a unix socket: of
// routes (`from`), of trusted proxies and of backends (`inside`). Immutable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::config {

/// `10.0.0.0/8` or one address. IPv4 is kept as ::ffff:a.b.c.d, and may be written so (RFC 4291
/// 2.5.5.2); no other network of IPv6 contains it.
struct Network {
    std::array<std::uint8_t, 16> bytes{};
    unsigned bits = 128;
    bool v4 = false;

    static std::optional<Network> parse(std::string_view text);
    bool contains(const Network& other) const;
    /// It is written as an address within it, as 10.0.0.1/8.
    bool names_an_address() const;
};

class Networks {
 public:
    /// Texts that the config has checked; an unreadable one contains nothing.
    explicit Networks(const std::vector<std::string>& texts);

    /// An address, or `unix`.
    bool contains(std::string_view client) const;
    /// All of them.
    bool contains(const Networks& others) const;

 private:
    std::vector<Network> all_;
    bool unix_ = false;
};

}  // namespace ticketgate::config
