#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array tracing_rows{
    like("\"http://127.0.0.1:4318/v1/traces\"",
         required(plain("endpoint", Kind::collector, field_by<read_collector, &Tracing::endpoint>,
                        "The collector, which speaks OTLP over HTTP. Without a path: "
                        "/v1/traces."))),
    plain("begin", Kind::share, field_by<read_share, &Tracing::begin>,
          "Which requests without traceparent begin a trace. off: none; on: all; 0.05: one in "
          "twenty, by chance. A request with traceparent continues its trace, if that is sampled."),
    plain("service_name", Kind::text, field<&Tracing::service_name>,
          "The name of this service in the traces (service.name)."),
    count(
        "max_spans", field<&Tracing::max_spans>, 100, 1000000,
        "The number of spans that wait for the collector; they use at most 1 KiB for each of this "
        "number. A request has up to four. Above it, spans are dropped and counted "
        "(ticketgate_trace_spans_dropped_total)."),
    number("interval", Kind::duration, field<&Tracing::interval>, 10, 3'600'000,
           "How often spans are sent. When they fill half of max_spans, they do not wait for it.",
           {}),
    number("timeout", Kind::duration, field<&Tracing::timeout>, 10, 60'000,
           "The longest time of one post to the collector with all its steps.", {}),
    plain("headers", Kind::headers, field<&Tracing::headers>,
          "Headers for the collector, such as Authorization."),
    like("/etc/ticketgate/collector-ca.pem",
         plain("ca_file", Kind::file, field<&Tracing::ca_file>,
               "For https: a PEM file with the CAs that may sign the collector's certificate, "
               "relative to this file. Without it, the system's CAs.")),
};

}  // namespace

constinit const std::span<const Key> tracing_keys = tracing_rows;

}  // namespace ticketgate::config
