// What routing promises of each spelling of a path, as one check: no server and no application may
// be led to a queued script without its queue.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::paths {

/// Looks at the normal form of the path and at its routes in three snapshots. Empty: the promise is
/// kept; else what broke.
std::string broken_by(std::string_view path);

}  // namespace ticketgate::paths
