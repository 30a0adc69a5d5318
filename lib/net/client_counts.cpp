#include "net/client_counts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace ticketgate {

ClientCounts::Place ClientCounts::enter(std::string_view client, std::uint32_t limit) {
    const std::lock_guard lock(lock_);
    const auto [place, fresh] = counts_.try_emplace(std::string(client), 0);
    if (place->second >= limit) {
        if (fresh) counts_.erase(place);
        return nullptr;
    }
    ++place->second;
    return &*place;
}

void ClientCounts::leave(Place place) {
    const std::lock_guard lock(lock_);
    if (--place->second == 0) counts_.erase(place->first);
}

std::size_t ClientCounts::clients() const {
    const std::lock_guard lock(lock_);
    return counts_.size();
}

std::string client_key(std::string_view ip) {
    in6_addr address{};
    std::string text(ip);
    if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return text;
    std::fill(std::begin(address.s6_addr) + 8, std::end(address.s6_addr), 0);
    std::array<char, INET6_ADDRSTRLEN> network{};
    inet_ntop(AF_INET6, &address, network.data(), network.size());
    return std::string(network.data()) + "/64";
}

}  // namespace ticketgate
