#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view example_routes = R"(- prefix: /
  queue: app
  routes:
    # A nested route inherits from the route around it. Write its prefix in full.
    - prefix: /assets
      methods: [GET, HEAD]
      queue: off
# This pattern allows no dot in a folder: most servers run /cart.php/x.css as cart.php. Only reads
# pass: many servers hand POST /missing.png to index.php.
- regex: ^(/[^./]+)*/[^/]+\.(css|js|png|jpg|svg|woff2)$
  methods: [GET, HEAD]
  queue: off
# A route may ask for more than a path. It applies where all its conditions hold.
# - host: [shop.example.org, "*.shop.example.net"]
#   listener: web
#   methods: [POST]
#   from: [10.0.0.0/8]
#   header: {X-Kind: api}
#   queue: shop)";

constexpr std::array top_rows{
    required(nested("listen", Kind::list, Section::listen, part_by<read_listens, &Config::listen>,
                    "The addresses for clients, at least one.")),
    Key{.name = "admin",
        .kind = Kind::section_or_off,
        .why = "The listener for the operator: /livez, /readyz, /metrics and the API. With "
               "off, there is none. Keep it on loopback.",
        .bound = {.field = {.owner = model_type<Config>(),
                            .read =
                                [](const Value& value, void* config) {
                                    return read_admin(value, *static_cast<Config*>(config));
                                },
                            .inside = [](const void* config) { return config; },
                            .make = binding::make_owner<Config>}},
        .section = Section::admin},
    count("threads", field<&Config::threads>, 1, 64,
          "The number of I/O threads. One thread is enough for a sidecar. Order and exclusion hold "
          "for any number."),
    like("app", required(nested("upstreams", Kind::named, Section::upstream,
                                named_parts<&Config::upstreams>,
                                "The backends, by the names that routes use."))),
    like("app",
         nested("queues", Kind::named, Section::queue, named_parts<&Config::queues>,
                "The queues, by the names that routes use. A queue that only a route names has the "
                "defaults.")),
    nested("defaults", Kind::section, Section::settings, part<&Config::defaults>,
           "The settings of every route that does not set its own. A route can set each of them."),
    like(
        example_routes,
        required(nested("routes", Kind::list, Section::route, part_by<read_routes, &Config::routes>,
                        "What is served. A path that no route matches gets 404. Shorter prefixes "
                        "apply first, then longer ones, then patterns; each route sets only what "
                        "differs."))),
    count("route_cache", field<&Config::route_cache>, 1, 1000000,
          "The number of combinations of regex routes whose merged settings are kept. Clients "
          "choose by their paths which combinations occur. The settings of any other combination "
          "are merged for each request."),
    nested("clients", Kind::section, Section::clients, part<&Config::clients>,
           "The limits for clients, before a route is known."),
    nested("spool", Kind::section, Section::spool, part<&Config::spool>,
           "Where bodies are kept: in memory first, then in files."),
    nested("file_io", Kind::section, Section::file_io, part<&Config::file_io>,
           "How static files are read from disks."),
    nested("ids", Kind::section, Section::ids, part<&Config::ids>,
           "The ids that every request to a backend carries. The client's own are removed first. "
           "More examples are in ids.yaml."),
    commented(nested(
        "id_service", Kind::section_or_off, Section::id_service, part<&Config::id_service>,
        "Serves numbers to other programs over noeqd's protocol, on an address of its own. GET "
        "/api/v1/ids on the admin listener works without it.")),
    commented(nested("cluster", Kind::section_or_off, Section::cluster, part<&Config::cluster>,
                     "The cluster that several processes (replicas) form: a queue with cluster: "
                     "true has one line over all of them. docs/cluster.md is its page.")),
    commented(
        nested("tracing", Kind::section_or_off, Section::tracing, part<&Config::tracing>,
               "Sends a trace of each request (its wait, its hold, its backend) to a collector "
               "of OpenTelemetry.")),
    nested("log", Kind::section, Section::log, part<&Config::log>,
           "The access log and the operational log."),
    duration("drain_timeout", field<&Config::drain_timeout>,
             "How long queued and running requests may finish after SIGTERM. Then they are cut.",
             {}, 0),
};

}  // namespace

constinit const std::span<const Key> top_keys = top_rows;

}  // namespace ticketgate::config
