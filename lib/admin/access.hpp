// Decides which peers may change something through the admin listener: programs on this machine,
// and clients that know the token. Pure.
#pragma once

#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

/// Returns why this request may not change anything, as a sentence for the client; empty: it may.
/// `local`: the peer came over loopback or a unix socket. A browser on this machine is a local peer
/// too, so without the token a request is refused if its Origin differs from its Host (another
/// site's page sent it), or if its Host is neither `localhost` nor an address: another site's name
/// can resolve to this machine (DNS rebinding), and then Origin and Host agree. An empty `token`:
/// none is configured. Compares the token in constant time.
std::string_view refusal(const HttpRequest& request, bool local, std::string_view token);

}  // namespace ticketgate::admin
