#include "proxy/trusted.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "net/endpoint.hpp"

namespace ticketgate {

namespace ip = boost::asio::ip;

Trusted::Trusted(const std::vector<std::string>& networks) {
    for (const auto& text : networks) {
        if (text == net::unix_peer) {
            unix_ = true;
            continue;
        }
        const bool v6 = text.find(':') != std::string::npos;
        const bool whole = text.find('/') == std::string::npos;
        error_code error;
        if (v6) {
            const auto network = ip::make_network_v6(whole ? text + "/128" : text, error);
            if (!error) v6_.push_back(network);
        } else {
            const auto network = ip::make_network_v4(whole ? text + "/32" : text, error);
            if (!error) v4_.push_back(network);
        }
    }
}

bool Trusted::contains(const std::string& text) const {
    if (text == net::unix_peer) return unix_;
    if (v4_.empty() && v6_.empty()) return false;
    error_code error;
    const auto address = ip::make_address(text, error);
    if (error) return false;
    if (address.is_v4()) {
        return std::any_of(v4_.begin(), v4_.end(), [&](const auto& network) {
            return ip::network_v4(address.to_v4(), network.prefix_length()).canonical() ==
                   network.canonical();
        });
    }
    return std::any_of(v6_.begin(), v6_.end(), [&](const auto& network) {
        return ip::network_v6(address.to_v6(), network.prefix_length()).canonical() ==
               network.canonical();
    });
}

}  // namespace ticketgate
