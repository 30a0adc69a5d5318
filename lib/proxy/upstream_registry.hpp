// Backends by name. A reload finds the same object under a name whose settings have not changed, so
// its pooled connections stay. Owned by the Assembly; control thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/config.hpp"
#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "proxy/snapshot.hpp"
#include "spawn/supervisor.hpp"
#include "upstream/keep_policy.hpp"

namespace ticketgate {

class UpstreamRegistry {
 public:
    /// `supervisor`: null where no process may be started; configs with workers throw then.
    /// `metrics`: null: what the exchanges come to is not counted.
    UpstreamRegistry(net::Resolver& resolver, std::size_t loops, net::Connect connect,
                     KeepPolicy::Limits trust, spawn::Supervisor* supervisor = nullptr,
                     metrics::Registry* metrics = nullptr)
        : resolver_(resolver),
          loops_(loops),
          connect_(std::move(connect)),
          trust_(trust),
          supervisor_(supervisor),
          metrics_(metrics) {}

    struct Known {
        config::Upstream config;
        std::string security;  ///< security_of(config), and what is hidden from workers
        std::shared_ptr<Upstream> upstream;
        std::shared_ptr<spawn::Pool> workers = nullptr;    ///< null: it has none of ticketgate's
        std::shared_ptr<UpstreamCounts> counts = nullptr;  ///< those of its name
    };
    using All = std::map<std::string, Known>;

    /// First phase of a reload: the upstreams that the config names, known or new. Changes nothing.
    /// Throws std::runtime_error that names the bad file.
    All find_or_make(const config::Config& config) const;
    /// Second phase: makes these the known ones. Workers start and end.
    void adopt(All all, const config::Config& config);

    template <class Use>
    void for_each(Use use) const {
        for (const auto& [name, known] : known_) use(name, known);
    }

 private:
    std::shared_ptr<Upstream> make(const config::Upstream& upstream) const;
    std::shared_ptr<UpstreamCounts> counts_of(const std::string& name) const;
    void make_workers(const config::Config& config, const std::string& name, Known& known) const;
    net::Resolver& resolver_;
    const std::size_t loops_;
    const net::Connect connect_;
    const KeepPolicy::Limits trust_;
    spawn::Supervisor* const supervisor_;
    metrics::Registry* const metrics_;
    All known_;
};

}  // namespace ticketgate
