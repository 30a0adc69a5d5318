// The client's address and the header fields of a request, for the conditions of routes. One loop
// uses an object of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/asked.hpp"
#include "http/connection_options.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

/// Gives the conditions of routes the client's address and the header fields of one request. It
/// keeps references to its arguments, which must outlive it.
class HeadCircumstances final : public config::Circumstances {
 public:
    HeadCircumstances(const http::RequestHead& head, const Peer& peer) : head_(head), peer_(peer) {}
    std::string client() const override { return known_client_ip(head_, peer_); }
    const config::HeaderReadings& header(std::string_view name) const override;

 private:
    config::HeaderReadings read(std::string_view name) const;
    const http::RequestHead& head_;
    const Peer& peer_;
    // The fields that were asked for. A request is routed once for each reading of its method and
    // path, and each time the same conditions ask.
    mutable std::map<std::string_view, config::HeaderReadings> known_;
    mutable std::optional<http::ConnectionOptions> options_;
};

}  // namespace ticketgate
