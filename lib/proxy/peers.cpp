#include "proxy/peers.hpp"

#include <stdexcept>
#include <utility>

#include "base/secret.hpp"
#include "proxy/settings.hpp"
#include "proxy/tls.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {
namespace {

// A cluster has at most 16 replicas; addresses of earlier ones are forgotten together.
constexpr std::size_t most_known = 64;
constexpr Duration between_complaints = 10s;

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
      log_(log),
      security_(security()) {}

std::shared_ptr<Upstream> Peers::at(const std::string& address) {
    const std::lock_guard lock(lock_);
    const auto found = known_.find(address);
    if (found != known_.end()) return found->second;
    if (known_.size() >= most_known) leave_all();
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

std::string Peers::security() const {
    return security_of(config::peer_upstream(own_, own_.advertise));
}

// Their idle connections belong to the loops.
void Peers::leave_all() {
    for (auto& [address, upstream] : known_) left_.push_back(std::move(upstream));
    known_.clear();
}

void Peers::read_files_again() {
    auto now = security();
    const std::lock_guard lock(lock_);
    if (now == security_) return;
    security_ = std::move(now);
    leave_all();
}

std::vector<std::shared_ptr<Upstream>> Peers::take_left() {
    const std::lock_guard lock(lock_);
    return std::exchange(left_, {});
}

void Peers::retire(net::Loop& loop) {
    const std::lock_guard lock(lock_);
    for (const auto& [address, upstream] : known_) upstream->retire(loop);
    for (const auto& upstream : left_) upstream->retire(loop);
}

bool Peers::tells(const std::string& address, const std::string& what) {
    const Time now = monotonic_now();
    const std::lock_guard lock(lock_);
    if (told_.size() >= most_known) told_.clear();
    Told& last = told_[address];
    if (last.what == what && now < last.quiet_until) return false;
    last = {what, now + between_complaints};
    return true;
}

std::string Peers::remedy(std::string_view fault) {
    const auto says = [&](std::string_view part) { return fault.find(part) != fault.npos; };
    if (says("mismatch"))
        return "its certificate must name the host in its cluster.peer.advertise "
               "(subjectAltName), or cluster.peer.tls.server_name in all replicas";
    if (says("not trusted"))
        return "its certificate must be valid, for servers, and signed by a CA in "
               "cluster.peer.tls.ca_file of this replica";
    if (says("alert"))
        return "the other replica refuses the certificate of this one: it must be valid, for "
               "clients, too, and signed by a CA in cluster.peer.tls.ca_file there";
    if (says("wrong version number") || says("record layer failure") || says("http request"))
        return "the other replica has no cluster.peer.tls: set it in all replicas or in none";
    return {};
}

std::string Peers::remedy(unsigned status) {
    constexpr unsigned plain_http = 400, not_a_replica = 403;
    if (status == plain_http)
        return "does it have cluster.peer.tls, and this replica not? Set it in all replicas or in "
               "none";
    return status == not_a_replica ? "set the same cluster.peer.secret in all replicas" : "";
}

}  // namespace ticketgate
