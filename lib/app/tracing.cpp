#include "app/tracing.hpp"

#include "app/version.hpp"
#include "ids/generator.hpp"

namespace ticketgate {

std::optional<otlp::Settings> collector_settings(const config::Config& config) {
    if (!config.tracing) return std::nullopt;
    const config::Tracing& tracing = *config.tracing;
    otlp::Settings out;
    out.at = {tracing.endpoint.host, tracing.endpoint.port, tracing.endpoint.https};
    out.path = tracing.endpoint.path;
    out.headers = tracing.headers;
    out.tls.ca_file = tracing.ca_file;
    out.service_name = tracing.service_name;
    out.interval = tracing.interval;
    out.timeout = tracing.timeout;
    return out;
}

trace::Service this_service(const ids::Machine& machine) {
    ids::Generator ids(machine);
    trace::Service self;
    self.version = version;
    self.instance = ids.next(ids::Format::uuidv4, wall_now()).view();
    return self;
}

}  // namespace ticketgate
