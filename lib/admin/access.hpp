// Who may change something through the admin listener: programs of this machine, and whoever knows
// the token. Pure.
#pragma once

#include <string_view>

#include "admin/server.hpp"

namespace ticketgate::admin {

/// `local`: the peer came over loopback or a unix socket. A browser on this machine is such a peer
/// too, so a request that another site's page sent (its Origin is not our Host) needs the token.
/// `token` is empty where none is configured; it is compared in constant time.
bool may_write(const HttpRequest& request, bool local, std::string_view token);

}  // namespace ticketgate::admin
