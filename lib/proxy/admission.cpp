#include "proxy/admission.hpp"

#include "proxy/station.hpp"

namespace ticketgate {

Admission::Admission(Commons& commons) : commons_(&commons) {
    ++commons.connections;
}

void Admission::leave() {
    if (commons_ == nullptr) return;
    leave_client();
    --commons_->connections;
    std::exchange(commons_, nullptr)->connection_closed();
}

void Admission::leave_client() {
    if (place_ != nullptr) commons_->clients.leave(std::exchange(place_, nullptr));
}

void Admission::count_as(std::string_view ip) {
    if (commons_ == nullptr) return;
    leave_client();
    if (!ip.empty()) (void)enter(ip, config::unlimited);
}

bool Admission::enter(std::string_view ip, std::uint32_t limit) {
    place_ = commons_->clients.enter(client_key(ip), limit);
    return place_ != nullptr;
}

}  // namespace ticketgate
