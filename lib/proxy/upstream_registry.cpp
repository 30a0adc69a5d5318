#include "proxy/upstream_registry.hpp"

#include "proxy/settings.hpp"
#include "proxy/tls.hpp"
#include "upstream/fcgi_upstream.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {

UpstreamRegistry::All UpstreamRegistry::find_or_make(const config::Config& config) const {
    All out;
    for (const auto& [name, wanted] : config.upstreams) {
        auto security = security_of(wanted);
        const auto found = known_.find(name);
        const bool stays = found != known_.end() && found->second.config == wanted &&
                           found->second.security == security;
        out[name] = stays ? found->second : Known{wanted, std::move(security), make(wanted)};
    }
    return out;
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
