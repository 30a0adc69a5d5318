#include "app/restart_keys.hpp"

#include <algorithm>

#include "config/keys.hpp"

namespace ticketgate {
namespace {

using config::Config;
using config::Key;
using config::Section;

class Comparison {
 public:
    Comparison(const Config& started, const Config& next) : started_(started), next_(next) {}

    void differs(const std::string& path, const std::string& runs, const std::string& wanted,
                 const std::string& more = "") {
        if (runs == wanted) return;
        problems_.warn(next_.mark_of(path), path,
                       wanted + " needs a restart; " + runs + " stays in force" + more);
    }

    void keys(Section section, const std::string& above, const void* runs, const void* wanted,
              std::initializer_list<std::string_view> only = {}) {
        for (const Key& key : config::keys_of(section))
            if (only.size() == 0 || std::ranges::find(only, key.name) != only.end())
                one(key, above + std::string(key.name), runs, wanted);
    }

    void listeners() { differs("listen", listeners_of(started_), listeners_of(next_)); }

    void admin() {
        if (!started_.admin || !next_.admin)
            return differs("admin", admin_of(started_), admin_of(next_), whom_to_ask());
        differs("admin.address", admin_of(started_), admin_of(next_), whom_to_ask());
        keys(Section::admin, "admin.", &started_, &next_,
             {"max_connections", "max_viewers", "read_timeout", "write_timeout"});
    }

    void id_service() {
        const auto &runs = started_.id_service, &wanted = next_.id_service;
        if (runs && wanted) return keys(Section::id_service, "id_service.", &*runs, &*wanted);
        differs("id_service", runs ? runs->address.address : "off",
                wanted ? wanted->address.address : "off");
    }

    void cluster() {
        const auto &runs = started_.cluster, &wanted = next_.cluster;
        if (!runs || !wanted)
            return differs("cluster", runs ? runs->name : "off", wanted ? wanted->name : "off");
        keys(Section::cluster, "cluster.", &*runs, &*wanted);
        keys(Section::cluster_store, "cluster.store.", &runs->store, &wanted->store);
        keys(Section::cluster_peer, "cluster.peer.", &runs->peer, &wanted->peer);
        peer_tls(runs->peer.tls, wanted->peer.tls);
    }

    std::vector<config::Problem> take() { return problems_.take(); }

 private:
    using PeerTls = std::optional<config::PeerTls>;
    void peer_tls(const PeerTls& runs, const PeerTls& wanted) {
        const std::string path = "cluster.peer.tls";
        if (!runs || !wanted) return differs(path, runs ? "on" : "off", wanted ? "on" : "off");
        keys(Section::peer_tls, path + ".", &*runs, &*wanted);
    }
    void one(const Key& key, const std::string& path, const void* runs, const void* wanted) {
        const auto spell = key.bound.field.spell;
        if (spell == nullptr) return;
        const std::string a = spell(key, runs), b = spell(key, wanted);
        const bool secret = key.name == "token" || key.name == "password" || key.name == "secret";
        if (!secret) return differs(path, a, b);
        if (a != b) differs(path, "the old value", "the new value");  // a secret
    }

    // Sorted, since a reload matches listeners by address.
    static std::string listeners_of(const Config& config) {
        std::vector<std::string> all;
        all.reserve(config.listen.size());
        for (const auto& listen : config.listen)
            all.push_back(listen.address + (listen.proxy_protocol ? " (proxy_protocol)" : ""));
        std::ranges::sort(all);
        std::string out;
        for (const auto& one : all) out += (out.empty() ? "" : ", ") + one;
        return out;
    }

    static std::string admin_of(const Config& config) {
        return config.admin ? config.admin->address : "off";
    }

    // Commands read the admin address from the file, which now has the new one.
    std::string whom_to_ask() const {
        if (!started_.admin) return "";
        return "; until the restart, add --admin " + started_.admin->address + " to commands";
    }

    const Config &started_, &next_;
    config::Problems problems_;
};

}  // namespace

std::vector<config::Problem> keys_for_restart(const Config& started, const Config& next) {
    Comparison comparison(started, next);
    comparison.listeners();
    comparison.admin();
    comparison.keys(Section::top, "", &started, &next, {"threads"});
    comparison.keys(Section::spool, "spool.", &started.spool, &next.spool);
    comparison.keys(Section::machine, "ids.machine.", &started.ids.machine, &next.ids.machine);
    comparison.id_service();
    comparison.cluster();
    comparison.keys(Section::log, "log.", &started.log, &next.log, {"access_file", "max_buffer"});
    return comparison.take();
}

}  // namespace ticketgate
