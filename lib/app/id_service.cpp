#include "app/id_service.hpp"

#include <optional>

#include "app/descriptors.hpp"
#include "proxy/settings.hpp"

namespace ticketgate {
namespace {

noeq::Settings settings_of(const config::IdService& service, const ids::Machine& machine) {
    noeq::Settings settings;
    settings.datacenter = machine.datacenter;
    settings.worker = machine.worker.value_or(0);
    settings.token = service.token;
    const std::uint64_t descriptors = most_descriptors();
    settings.max_connections = most_id_connections(service.max_connections, descriptors);
    settings.max_connections_per_client = service.max_connections_per_client;
    settings.shut_at = first_reserved_from_ids(descriptors);
    settings.login_timeout = service.login_timeout;
    settings.idle_timeout = service.idle_timeout;
    settings.write_timeout = service.write_timeout;
    settings.clock_wait = service.clock_wait;
    return settings;
}

}  // namespace

std::unique_ptr<noeq::Server> make_id_service(const config::IdService& service,
                                              const ids::Machine& machine, Log& log,
                                              metrics::Registry& metrics,
                                              const net::OpenListener& open) {
    auto settings = settings_of(service, machine);
    std::optional<noeq::StateFile> state;
    if (!service.state_file.empty()) state.emplace(service.state_file);
    auto source =
        std::make_unique<noeq::IdSource>(settings.datacenter, settings.worker, std::move(state));
    return std::make_unique<noeq::Server>(endpoint_of(service.address), std::move(settings),
                                          std::move(source), log, metrics, open);
}

}  // namespace ticketgate
