// Which peers are proxies of ours: their X-Forwarded-* are extended instead of replaced. Immutable.
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
    /// CIDRs or single addresses; the config has checked them, what cannot be read trusts nobody.
    explicit Trusted(const std::vector<std::string>& networks);
    bool contains(const std::string& ip) const;

 private:
    std::vector<boost::asio::ip::network_v4> v4_;
    std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace ticketgate
