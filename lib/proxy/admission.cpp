#include "proxy/admission.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "proxy/station.hpp"

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
    const std::string text(ip);
    if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return text;
    std::fill(std::begin(address.s6_addr) + 8, std::end(address.s6_addr), 0);
    std::array<char, INET6_ADDRSTRLEN> network{};
    inet_ntop(AF_INET6, &address, network.data(), network.size());
    return std::string(network.data()) + "/64";
}

Admission::Admission(Commons& commons) : commons_(&commons) {
    ++commons.connections;
}

void Admission::leave() {
    if (commons_ == nullptr) return;
    if (place_ != nullptr) commons_->clients.leave(std::exchange(place_, nullptr));
    --commons_->connections;
    std::exchange(commons_, nullptr)->connection_closed();
}

bool Admission::enter(std::string_view ip, std::uint32_t limit) {
    place_ = commons_->clients.enter(client_key(ip), limit);
    return place_ != nullptr;
}

}  // namespace ticketgate
