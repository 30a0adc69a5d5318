#include "proxy/inside.hpp"

#include <algorithm>

namespace ticketgate {

bool is_inside(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer) {
    const bool named = peer.speaks_for == SpeaksFor::itself || peer.speaks_for == SpeaksFor::client;
    if (peer.trusted || !named || !snapshot.inside.contains(peer.ip)) return false;
    return std::ranges::none_of(head.fields, [&](const auto& field) {
        return snapshot.forwarding_names.contains(field.name);
    });
}

bool looks_like_own_call(const http::RequestHead& head) {
    return std::ranges::any_of(head.fields, [&](const auto& field) {
        return field.id == http::FieldName::user_agent && !head.host.empty() &&
               field.value.find(head.host) != std::string_view::npos;
    });
}

}  // namespace ticketgate
