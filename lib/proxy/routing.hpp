// Which route a request has, and whether it queues: the session serves by it, and `explain` prints
// it. A request that names a second method, or whose path has a second reading, goes by the one
// with the queue or is refused. So does one that names a front controller's script
// (config::other_spellings()). Pure but for the snapshot's cache.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "proxy/snapshot.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

struct Routed {
    std::shared_ptr<const Route> route;  ///< null: none, or not looked for
    config::RouteIndex::Match match;     ///< of this route
    error_code failure = {};             ///< the request is refused
    std::string_view complaint = {};     ///< why, if with 400; a constant
    bool queues = false;                 ///< it takes a ticket
    std::string read_as = {};  ///< the route is that of this path; empty: of the request's
};

/// `normal`: receives the normal form of the path.
Routed route_of(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                std::string& normal);

/// The same request, when it is known that its path, a folder's, runs this script: it stands in the
/// queue of the script's own path too. Refused where the two have different queues or upstreams.
/// `script`: a file's path, as files::file_path() makes it.
Routed with_script(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                   Routed found, std::string_view script);

}  // namespace ticketgate
