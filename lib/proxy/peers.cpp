#include "proxy/peers.hpp"

#include <stdexcept>

#include "base/secret.hpp"
#include "proxy/settings.hpp"
#include "proxy/tls.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {
namespace {

// A cluster has at most 16 replicas; addresses of earlier ones are forgotten together.
constexpr std::size_t most_known = 64;

// A replica keeps its connections, so one that was never tried may carry any request.
constexpr KeepPolicy::Limits trust_in_replicas{
    .proven_by = 0, .soon = Duration{0}, .outlived = std::chrono::hours(1)};

}  // namespace

Peers::Peers(config::ClusterPeer own, net::Resolver& resolver, std::size_t loops,
             net::Connect connect, Log& log)
    : own_(std::move(own)),
      resolver_(resolver),
      loops_(loops),
      connect_(std::move(connect)),
      log_(log) {}

std::shared_ptr<Upstream> Peers::at(const std::string& address) {
    const std::lock_guard lock(lock_);
    const auto found = known_.find(address);
    if (found != known_.end()) return found->second;
    if (known_.size() >= most_known) known_.clear();
    auto made = make(address);
    if (made) known_.emplace(address, made);
    return made;
}

std::shared_ptr<Upstream> Peers::make(const std::string& address) const try {
    const config::Upstream upstream = config::peer_upstream(own_, address);
    if (upstream.host.empty()) return nullptr;
    auto settings = upstream_settings(upstream);
    settings.trust = trust_in_replicas;
    return std::make_shared<HttpUpstream>(std::move(settings), resolver_, loops_,
                                          connect_to(upstream, loops_, connect_));
} catch (const std::runtime_error& bad_file) {
    log_.error("cannot connect to another replica",
               {{"address", address}, {"why", bad_file.what()}});
    return nullptr;
}

bool Peers::proves_itself(std::string_view secret) const {
    return equal_in_constant_time(secret, own_.secret);
}

void Peers::read_files_again() {
    if (!own_.tls) return;
    const std::lock_guard lock(lock_);
    known_.clear();
}

void Peers::retire(net::Loop& loop) {
    const std::lock_guard lock(lock_);
    for (const auto& [address, upstream] : known_) upstream->retire(loop);
}

}  // namespace ticketgate
