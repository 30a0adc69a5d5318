// Which route a request has, by all that routes look at: also where the request names a second
// method, or its path has a second reading. Pure but for the snapshot's cache.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "http/connection_options.hpp"
#include "proxy/snapshot.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

struct Routed {
    std::shared_ptr<const Route> route;  ///< null: none
    bool misdirected = false;            ///< routes name hosts, and none names this one
    std::string_view complaint = {};     ///< why it is refused with 400; a constant
};

/// What routes look at in this head beside its path and listener. Views into the arguments, which
/// must outlive it.
class HeadCircumstances final : public config::Circumstances {
 public:
    HeadCircumstances(const http::RequestHead& head, const Peer& peer) : head_(head), peer_(peer) {}
    std::string client() const override { return client_ip(head_, peer_); }
    const config::HeaderReadings& header(std::string_view name) const override;

 private:
    config::HeaderReadings read(std::string_view name) const;
    const http::RequestHead& head_;
    const Peer& peer_;
    // What was read so far: a request is looked up for each method and path that it may stand for.
    mutable std::map<std::string_view, config::HeaderReadings> known_;
    mutable std::optional<http::ConnectionOptions> options_;
};

/// `path`: as it came; `normal`: its normal form.
Routed route_of(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                std::string_view path, std::string_view normal);

}  // namespace ticketgate
