#include "app/identities.hpp"

#include "config/each_id.hpp"
#include "ids/format.hpp"

namespace ticketgate {
namespace {

bool makes_snowflakes(const config::Config& config) {
    bool any = false;
    for_each_own_id(config.ids, [&](const std::string& /*name*/, const config::Id& id) {
        any |= id.format == config::IdFormat::snowflake;
    });
    for_each_overrides(config, [&](const std::string& /*path*/, const config::RouteOverrides& own) {
        for_each_id_override(own.ids,
                             [&](const std::string& /*name*/, const config::IdOverrides& id) {
                                 any |= id.format.value == config::IdFormat::snowflake;
                             });
    });
    return any;
}

class Findings {
 public:
    Findings(const config::Config& config, const Identities& identities)
        : config_(config), identities_(identities) {}

    void formats() {
        for_each_own_id(config_.ids, [&](const std::string& name, const config::Id& id) {
            own(id, "ids." + name + ".format");
        });
        for_each_overrides(config_,
                           [&](const std::string& path, const config::RouteOverrides& overrides) {
                               overridden(overrides.ids, path);
                           });
    }

    void workers(const char* remedy) {
        if (!identities_.overlap() || !makes_snowflakes(config_)) return;
        const auto& both = *identities_.id_service;
        fail("id_service.worker",
             "the id service and ids.machine both have worker " + std::to_string(*both.worker) +
                 " of datacenter " + std::to_string(both.datacenter) +
                 ", and requests get snowflakes too, so the same ids would be made twice; " +
                 remedy);
    }

    void id_service() {
        if (!identities_.id_service || identities_.id_service->worker) return;
        fail("id_service.worker",
             "no number is known; set it, or TICKETGATE_WORKER, or end the host name in -0 to -31");
    }

    config::Problems problems;

 private:
    // Reports at the key, or at its section if the key is absent.
    void fail(const std::string& path, const std::string& why) {
        const bool given = config_.marks.contains(path);
        problems.error(config_.mark_of(given ? path : path.substr(0, path.rfind('.'))), path, why);
    }
    void check(config::IdFormat format, const config::Mark& mark, const std::string& path) {
        const auto why = ids::why_not(format, identities_.machine);
        if (!why.empty()) problems.error(mark, path, why);
    }
    void own(const config::Id& id, const std::string& path) {
        check(id.format, config_.mark_of(path), path);
    }
    void overridden(const config::IdsOverrides& ids, const std::string& path) {
        for_each_id_override(ids, [&](const std::string& name, const config::IdOverrides& id) {
            if (id.format.value)
                check(*id.format.value, id.format.mark, path + ".ids." + name + ".format");
        });
    }

    const config::Config& config_;
    const Identities& identities_;
};

}  // namespace

bool Identities::overlap() const {
    return id_service && id_service->worker && id_service->worker == machine.worker &&
           id_service->datacenter == machine.datacenter;
}

Identities identities_of(const config::Config& config, const config::Environment& environment,
                         const System& system, std::vector<std::string>& complaints) {
    Identities all{machine_of(config.ids.machine, environment, system, complaints), std::nullopt};
    if (!config.id_service) return all;
    const config::IdService& service = *config.id_service;
    all.id_service = all.machine;
    all.id_service->datacenter = service.datacenter;
    if (service.worker != config::unlimited) all.id_service->worker = service.worker;
    return all;
}

std::vector<config::Problem> identity_problems(const config::Config& config,
                                               const Identities& identities,
                                               const std::vector<std::string>& complaints) {
    Findings found(config, identities);
    for (const auto& complaint : complaints)
        found.problems.warn(config.mark_of(""), "environment", complaint);
    found.formats();
    found.id_service();
    found.workers("set another worker or datacenter for one of the two");
    return found.problems.take();
}

std::vector<config::Problem> reload_problems(const config::Config& config,
                                             const Identities& running, const Identities& next) {
    Findings now(config, running), later(config, next);
    now.formats();
    now.workers("these numbers change only at a restart, so restart instead");
    later.id_service();
    if (!running.overlap()) later.workers("set another worker or datacenter for one of the two");
    auto problems = now.problems.take();
    for (auto& problem : later.problems.take()) problems.push_back(std::move(problem));
    return problems;
}

}  // namespace ticketgate
