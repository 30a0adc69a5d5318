// Who may change something through the admin listener: programs of this machine, and whoever knows
// the token. Pure.
#pragma once

#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

/// Why this request may not change anything, as a sentence for whoever asked; empty: it may.
/// `local`: the peer came over loopback or a unix socket. A browser on this machine is such a peer
/// too. So without the token a request is refused that another site's page sent (its Origin is not
/// our Host), or that names us by anything but `localhost` or an address: that name may be another
/// site's, which let it point to this machine (DNS rebinding), and then Origin and Host agree.
/// `token` is empty where none is configured; it is compared in constant time.
std::string_view refusal(const HttpRequest& request, bool local, std::string_view token);

}  // namespace ticketgate::admin
