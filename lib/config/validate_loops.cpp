// Upstreams that are this process: each request would wait for itself, and the operator's pages
// would be open to clients.
#include <string>

#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool is_this_machine(const std::string& host) {
    return host == "localhost" || host == "::1" || host == "0.0.0.0" || host == "::" ||
           host.starts_with("127.");
}

template <class Target>
const std::string& unix_path_of(const Target& target) {
    return target.unix_path;
}
const std::string& unix_path_of(const CollectorUrl&) {
    static const std::string none;
    return none;
}

// Another name than localhost may lead here too, but names are not resolved here.
template <class Target>
bool leads_to(const Target& target, const Listen& own) {
    if (!own.unix_path.empty() || !unix_path_of(target).empty())
        return own.unix_path == unix_path_of(target);
    if (own.port == 0 || own.port != target.port) return false;
    const bool any = own.host == "0.0.0.0" || own.host == "::";
    const bool either = target.host == "localhost" || target.host == "0.0.0.0";
    return target.host == own.host || (any && is_this_machine(target.host)) ||
           (either && (own.host == "127.0.0.1" || own.host == "::1"));
}

class Loops {
 public:
    Loops(const Config& config, Problems& problems) : config_(config), problems_(problems) {}

    template <class Target>
    void look(const Target& target, const std::string& path) {
        for (std::size_t i = 0; i < config_.listen.size(); ++i)
            if (leads_to(target, config_.listen[i]))
                return tell(path, config_.listen[i], "listen[" + std::to_string(i) + "].address");
        if (config_.admin && leads_to(target, *config_.admin))
            return tell(path, *config_.admin, "admin.address");
        if (config_.id_service && leads_to(target, config_.id_service->address))
            tell(path, config_.id_service->address, "id_service.address");
        if (config_.cluster && leads_to(target, config_.cluster->peer.listen))
            tell(path, config_.cluster->peer.listen, "cluster.peer.listen");
    }

 private:
    void tell(const std::string& path, const Listen& own, const std::string& where) {
        problems_.error(config_.mark_of(path), path,
                        "leads back to ticketgate itself: " + own.address + " is " + where +
                            "; write the address of the backend or collector itself");
    }

    const Config& config_;
    Problems& problems_;
};

}  // namespace

void check_loops(const Config& config, Problems& problems) {
    Loops loops(config, problems);
    for (const auto& [name, upstream] : config.upstreams) {
        const auto path = "upstreams." + name;
        if (upstream.workers) continue;
        loops.look(upstream, path + ".url");
        if (upstream.fcgi && upstream.fcgi->status)
            loops.look(*upstream.fcgi->status, path + ".fastcgi.status.url");
    }
    if (config.tracing) loops.look(config.tracing->endpoint, "tracing.endpoint");
}

}  // namespace ticketgate::config
