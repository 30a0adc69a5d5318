#include "app/tracing.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>

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

std::optional<Tried> try_collector(const config::Config& config) {
    auto settings = collector_settings(config);
    if (!settings) return std::nullopt;
    boost::asio::io_context io;
    otlp::Collector collector(io, *std::move(settings));
    const Time deadline = monotonic_now() + collector.settings().timeout;
    otlp::Posted posted;
    boost::asio::co_spawn(io, collector.post(R"({"resourceSpans":[]})", deadline),
                          [&posted](const std::exception_ptr& thrown, otlp::Posted result) {
                              if (thrown) std::rethrow_exception(thrown);
                              posted = std::move(result);
                          });
    io.run();
    const bool good = posted.why.empty();
    return Tried{
        good, "collector of traces: " + (good ? collector.url() + ": takes spans"
                                              : "failed: " + collector.url() + ": " + posted.why)};
}

trace::Service this_service(const ids::Machine& machine) {
    ids::Generator ids(machine);
    trace::Service self;
    self.version = version;
    self.instance = ids.next(ids::Format::uuidv4, wall_now()).view();
    return self;
}

}  // namespace ticketgate
