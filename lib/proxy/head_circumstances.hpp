// What conditions of routes look at in a request's head. Of one loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/asked.hpp"
#include "http/connection_options.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

/// What routes look at in this head beside its path and listener. Views into the arguments, which
/// must outlive it.
class HeadCircumstances final : public config::Circumstances {
 public:
    HeadCircumstances(const http::RequestHead& head, const Peer& peer) : head_(head), peer_(peer) {}
    std::string client() const override { return known_client_ip(head_, peer_); }
    const config::HeaderReadings& header(std::string_view name) const override;

 private:
    config::HeaderReadings read(std::string_view name) const;
    const http::RequestHead& head_;
    const Peer& peer_;
    // What was read so far: a request is looked up for each method and path that it may stand for.
    mutable std::map<std::string_view, config::HeaderReadings> known_;
    mutable std::optional<http::ConnectionOptions> options_;
};

}  // namespace ticketgate
