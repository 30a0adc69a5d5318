#include "proxy/upstream_registry.hpp"

#include "proxy/settings.hpp"
#include "proxy/tls.hpp"
#include "proxy/workers.hpp"
#include "upstream/fcgi_upstream.hpp"
#include "upstream/http_upstream.hpp"
#include "upstream/workers_upstream.hpp"

namespace ticketgate {
namespace {

config::Upstream without_files(config::Upstream upstream) {
    upstream.files = {};
    return upstream;
}

// The number of workers may change, and the pool stays. Files concern routes only.
bool same(const config::Upstream& a, const config::Upstream& b) {
    if (!a.workers || !b.workers) return without_files(a) == without_files(b);
    return without_bounds(a) == without_bounds(b);
}

// Workers got their environment when they were started: a config that hides another variable needs
// new ones.
std::string hidden_from_workers(const config::Config& config) {
    std::string out;
    for (const auto& name : config.secret_variables) out.append(name).append("\n");
    return out;
}

}  // namespace

UpstreamRegistry::All UpstreamRegistry::find_or_make(const config::Config& config) const {
    All out;
    for (const auto& [name, wanted] : config.upstreams) {
        auto security = security_of(wanted);
        if (wanted.workers) security += hidden_from_workers(config);
        const auto found = known_.find(name);
        const bool stays = found != known_.end() && found->second.security == security &&
                           same(found->second.config, wanted);
        Known& known = out[name];
        if (stays) {
            known = found->second;
            known.config = wanted;
        } else if (wanted.workers) {
            known = {wanted, std::move(security), nullptr};
            make_workers(config, name, known);
        } else {
            known = {wanted, std::move(security), make(wanted)};
        }
        known.counts = counts_of(name);
    }
    return out;
}

// A counter that began anew with each change of the settings would hide what came before.
std::shared_ptr<UpstreamCounts> UpstreamRegistry::counts_of(const std::string& name) const {
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second.counts;
    return metrics_ == nullptr ? nullptr : std::make_shared<UpstreamCounts>(*metrics_, name);
}

void UpstreamRegistry::make_workers(const config::Config& config, const std::string& name,
                                    Known& known) const {
    if (supervisor_ == nullptr) throw std::runtime_error("workers cannot be started here");
    const config::Workers& workers = *known.config.workers;
    const auto recipe = recipe_of(config, workers);
    auto protocol =
        std::make_shared<FcgiUpstream>(upstream_settings(known.config),
                                       worker_settings(known.config), resolver_, loops_, connect_);
    known.workers = supervisor_->make(name, recipe, link_maker(protocol, workers.transport));
    known.upstream = std::make_shared<WorkersUpstream>(std::move(protocol), known.workers);
}

void UpstreamRegistry::adopt(All all, const config::Config& config) {
    known_ = std::move(all);
    if (supervisor_ == nullptr) return;
    std::vector<std::shared_ptr<spawn::Pool>> pools;
    for (const auto& [name, known] : known_) {
        if (!known.workers) continue;
        known.workers->configure(bounds_of(config, name), max_requests_of(*known.config.workers));
        pools.push_back(known.workers);
    }
    supervisor_->adopt(pools);
}

std::shared_ptr<Upstream> UpstreamRegistry::make(const config::Upstream& upstream) const {
    auto settings = upstream_settings(upstream);
    settings.trust = trust_;
    auto connect = connect_to(upstream, loops_, connect_);
    if (!upstream.fcgi)
        return std::make_shared<HttpUpstream>(std::move(settings), resolver_, loops_,
                                              std::move(connect));
    auto fcgi = fcgi_settings(*upstream.fcgi);
    if (fcgi.status) fcgi.status->trust = trust_;
    return std::make_shared<FcgiUpstream>(std::move(settings), std::move(fcgi), resolver_, loops_,
                                          std::move(connect));
}

}  // namespace ticketgate
