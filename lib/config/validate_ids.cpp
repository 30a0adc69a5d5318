// Checks ids: no shared headers, no headers with another meaning, no unknown names in routes.
#include <map>

#include "base/text.hpp"
#include "config/each_id.hpp"
#include "config/own_headers.hpp"
#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

constexpr const char* fencing_number = "the fencing number";

struct Check {
    const Config& config;
    Problems& problems;
    struct Owner {
        std::string id, path;
    };
    std::map<std::string, Owner> owners;  // by folded header name

    void fail(const std::string& path, std::string message) {
        problems.error(config.mark_of(path), path, std::move(message));
    }

    void take(const std::string& header, const std::string& id, const std::string& path) {
        const auto name = folded(header);
        const bool is_token = id != fencing_number && is_fencing_token(header);
        if (is_token || is_spoken_for(header, config.clients))
            fail(path, header + " has another meaning; choose another header");
        const auto [found, fresh] = owners.try_emplace(name, Owner{id, path});
        const Owner& owner = found->second;
        if (fresh || owner.id == id) return;
        // One of the two may be a default, which is not in the file.
        const bool here = config.marks.contains(path);
        fail(here ? path : owner.path, header + " is also a header of " + (here ? owner.id : id) +
                                           "; a backend cannot tell them apart");
        found->second.id = id;  // reported once
    }

    void take_all(const std::vector<std::string>& headers, const std::string& id,
                  const std::string& path) {
        const bool one = config.marks.contains(path + ".header");
        for (const auto& header : headers) take(header, id, path + (one ? ".header" : ".headers"));
    }

    // A header must carry the same id on all routes, so the headers of every route are checked.
    void look_at_route(const IdsOverrides& ids, const std::string& path) {
        for_each_id_override(ids, [&](const std::string& name, const IdOverrides& id) {
            if (id.headers.value) take_all(*id.headers.value, "ids." + name, path + ".ids." + name);
        });
    }

    // The number of a queue takes the place of what the header had before, and clients may not send
    // it. Queues may share a header: a request is in one.
    void look_at_queue(const std::string& name, const Queue& queue) {
        if (queue.cluster && queue.token)
            take(*queue.token, fencing_number, "queues." + name + ".token");
    }

    void look(const std::string& path, const Id& id) {
        take_all(id.headers, path, path);
        if (!id.keep_client_in.empty())
            take(id.keep_client_in, path + ".keep_client_in", path + ".keep_client_in");
        if (id.keep_client_in.empty() || !id.headers.empty()) return;
        fail(path + ".keep_client_in",
             "has no effect: the id has no header that a client could send");
    }
};

void check_names(const Config& config, const RouteOverrides& overrides, const std::string& path,
                 Problems& problems) {
    std::vector<std::string_view> known;
    known.reserve(config.ids.other.size());
    for (const auto& [name, id] : config.ids.other) known.push_back(name);
    for (const auto& [name, id] : overrides.ids.other) {
        if (config.ids.other.contains(name)) continue;
        const auto full = std::string(path).append(".ids.other.").append(name);
        const auto near = nearest(name, known);
        problems.error(
            config.mark_of(full), full,
            "unknown id " + name + (near.empty() ? "; define it under ids: other:" : hint(near)));
    }
}

bool preserves(IdPolicy policy) {
    return policy == IdPolicy::preserve || policy == IdPolicy::preserve_or_generate;
}

}  // namespace

void check_ids(const Config& config, Problems& problems) {
    Check check{config, problems, {}};
    check.look("ids.request_id", config.ids.request_id);
    check.look("ids.unique_id", config.ids.unique_id);
    for (const auto& [name, id] : config.ids.other) {
        const auto path = "ids.other." + name;
        check.look(path, id);
        if (id.headers.empty()) check.fail(path, "has no header; write header: NAME");
    }
    const auto& address = config.ids.machine.address;
    if (address != "auto" && !parse_ipv4(address))
        check.fail("ids.machine.address", "\"" + address + "\" is not an IPv4 address, or auto");
    for_each_overrides(config, [&](const std::string& path, const RouteOverrides& overrides) {
        check.look_at_route(overrides.ids, path);
        check_names(config, overrides, path, problems);
    });
    for (const auto& [name, queue] : config.queues) check.look_at_queue(name, queue);
}

void warn_id_service(const Config& config, Problems& problems) {
    if (!config.id_service) return;
    const IdService& service = *config.id_service;
    const auto warn = [&](const std::string& key, const char* message) {
        problems.warn(config.mark_of("id_service." + key), "id_service." + key, message);
    };
    const bool token = !service.token.empty() || !problems.knows("id_service.token") ||
                       !problems.knows("id_service.token_file");
    if (!token && !is_loopback(service.address))
        warn("address", "is reachable from other machines without a token");
    if (service.state_file.empty() && problems.knows("id_service.state_file"))
        warn("address", "without a state_file, ids repeat if the clock is behind after a restart");
}

void warn_ids(const Config& config, Problems& problems) {
    warn_id_service(config, problems);
    if (!config.clients.trusted_proxies.empty() || !problems.knows("clients.trusted_proxies"))
        return;
    const auto warn = [&](const std::string& path, const Mark& mark, IdPolicy policy) {
        if (preserves(policy))
            problems.warn(mark, path, "keeps no ids while clients.trusted_proxies is empty");
    };
    for_each_own_id(config.ids, [&](const std::string& name, const Id& id) {
        const auto path = "ids." + name + ".policy";
        warn(path, config.mark_of(path), id.policy);
    });
    for_each_overrides(config, [&](const std::string& path, const RouteOverrides& overrides) {
        for_each_id_override(overrides.ids, [&](const std::string& name, const IdOverrides& id) {
            if (id.policy.value)
                warn(path + ".ids." + name + ".policy", id.policy.mark, *id.policy.value);
        });
    });
}

}  // namespace ticketgate::config
