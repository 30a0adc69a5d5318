// The trusted proxies: their X-Forwarded-* are extended instead of replaced. Immutable.
#pragma once

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ticketgate {

class Trusted {
 public:
    /// CIDRs, single addresses, or `unix` for every peer on a unix socket. The config has checked
    /// them; an unreadable one trusts no peer.
    explicit Trusted(const std::vector<std::string>& networks);
    /// `ip` as Endpoint::ip() returns it: `unix` on a unix socket.
    bool contains(const std::string& ip) const;

 private:
    std::vector<boost::asio::ip::network_v4> v4_;
    std::vector<boost::asio::ip::network_v6> v6_;
    bool unix_ = false;
};

}  // namespace ticketgate
