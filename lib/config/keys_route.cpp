#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

using S = Settings;
using Said = RouteOverrides;

constexpr std::array settings_rows{
    like("app", plain("upstream", Kind::name, setting<&S::upstream, &Said::upstream>,
                      "The backend, by its name under upstreams. Every route needs one, from here "
                      "or from a route around it.")),
    plain("queue", Kind::queue, setting<&S::queue, &Said::queue>,
          "The queue for these requests, by its name. Routes with the same name share the queue. "
          "With off, requests are not queued."),
    plain("skip_methods", Kind::methods, setting<&S::skip_methods, &Said::skip_methods>,
          "Methods that are not queued, such as [GET, HEAD, OPTIONS]: reads then run beside the "
          "queue."),
    choice(
        "method_override", setting<&S::method_override, &Said::method_override>,
        "queue|remove|forward",
        "What happens to a request of skip_methods that names another method, as frameworks read "
        "it from X-HTTP-Method-Override, X-HTTP-Method or X-Method-Override, or from _method in "
        "the query or in a form; any body of GET, HEAD, OPTIONS and DELETE counts as such a form. "
        "queue: the request is queued after all. remove: the headers are dropped, and a request "
        "with _method or a body is queued. forward: the request passes unchanged and unqueued."),
    duration("wait_timeout", setting<&S::wait_timeout, &Said::wait_timeout>,
             "The longest time in the queue, from the ticket (when the head is complete). Then the "
             "client gets on_wait_timeout.",
             "never"),
    count("max_waiting", setting<&S::max_waiting, &Said::max_waiting>, 0, 10000000,
          "Tickets that may wait. Those in flight do not count. Above it, the client gets on_full. "
          "With 0, nobody waits.",
          "unlimited"),
    nested("on_full", Kind::section, Section::answer, setting_part<&S::on_full, &Said::on_full>,
           "The answer when max_waiting tickets wait already. Each of its keys is inherited by "
           "itself."),
    like("{}", nested("on_wait_timeout", Kind::section, Section::answer,
                      setting_part<&S::on_wait_timeout, &Said::on_wait_timeout>,
                      "The answer when wait_timeout has passed in the queue. Its keys are those of "
                      "on_full.")),
    like("{}",
         nested("on_backend_error", Kind::section, Section::answer,
                setting_part<&S::on_backend_error, &Said::on_backend_error>,
                "The answer when the backend refused or broke the connection (502) or was silent "
                "(504). A status that is set here replaces both. Its keys are those of on_full.")),
    like("{}",
         nested("on_cluster_away", Kind::section, Section::answer,
                setting_part<&S::on_cluster_away, &Said::on_cluster_away>,
                "For a queue of a cluster: the answer when no replica may grant, as without the "
                "store, or when its keeper has changed. Its keys are those of on_full.")),
    choice("client_half_close", setting<&S::client_half_close, &Said::client_half_close>,
           "leave|stay",
           "What a FIN from a queued client means. leave: the client is gone, and so is its "
           "ticket. stay: the client keeps its place, for clients that close their sending side on "
           "purpose."),
    choice("inside_calls", setting<&S::inside_calls, &Said::inside_calls>,
           "wait|pass|pass_any|accept|refuse",
           "What happens when the backend calls its own site (from clients.inside) while a request "
           "of the queue is in flight, and may wait for the answer. wait: the call is queued as "
           "any other, and keeps its place when its caller leaves. pass: it runs within the slot "
           "of the request whose X-Request-Id it has, one such call after the other; else it "
           "waits. pass_any: as pass, and a call without an id runs within the only slot that is "
           "held, if no other request can have made it as far as ticketgate knows. A script that "
           "works on behind its answer is not known. accept: it gets 202 at once and is queued all "
           "the same, for "
           "callers that need no answer. refuse: 508."),
    size("max_body", setting<&S::max_body, &Said::max_body>,
         "The largest request body. Above it: 413."),
    duration("body_timeout", setting<&S::body_timeout, &Said::body_timeout>,
             "The longest silence while a request body arrives. Then: 408."),
    size("body_min_rate", setting<&S::body_min_rate, &Said::body_min_rate>,
         "The least rate of a request body as a whole, in bytes a second, after a grace of one "
         "body_timeout. Below it: 408. With 0, any rate."),
    duration("connect_timeout", setting<&S::connect_timeout, &Said::connect_timeout>,
             "The longest time for a connection to the backend. Then: 504. Of a name with several "
             "addresses, each that does not accept has its share of that time."),
    duration("response_timeout", setting<&S::response_timeout, &Said::response_timeout>,
             "The longest silence of the backend. Then the client gets 504, and the slot stays "
             "held until the backend is done."),
    size("response_spool_max", setting<&S::response_spool_max, &Said::response_spool_max>,
         "Response bytes that are kept ahead of a slow client. Above it, the backend and its slot "
         "wait for the client."),
    duration("hold_back_timeout", setting<&S::hold_back_timeout, &Said::hold_back_timeout>,
             "On a queued route, for how long a client that reads slowly may hold back its backend "
             "once its answer is response_spool_max ahead of it, or the spool is full. Each MiB "
             "that it lets the backend send begins the time anew; with the default, a client that "
             "takes 200 KB a second is never cut. Then the rest of the answer is read for nobody, "
             "and the client is cut where its part ends. Keep it below a third of "
             "the write timeouts of servers between (send_timeout of nginx, Timeout of Apache, "
             "timeout client of HAProxy): their end of a connection looks like the end of the "
             "work."),
    flag("server_timing", setting<&S::server_timing, &Said::server_timing>,
         "Adds Server-Timing to responses: the time in the queue and in the backend."),
    choice("tunnel", setting<&S::tunnel, &Said::tunnel>, "bypass|release|hold",
           "The slot of a WebSocket or event stream, which may last for hours. release: the slot "
           "is free when the tunnel begins (101, or the first byte of the stream). hold: the slot "
           "is kept to the end, which of an event stream is the backend's, also when the client "
           "has left. bypass: a GET that asks for one is not queued at all. Any client "
           "can ask, so give it a route of its own."),
    duration("tunnel_timeout", setting<&S::tunnel_timeout, &Said::tunnel_timeout>,
             "The longest silence, in both directions, of a WebSocket or event stream.", "never"),
    plain("upgrades", Kind::protocols, setting<&S::upgrades, &Said::upgrades>,
          "Protocols to which a connection may be upgraded. The backend is not asked for others. "
          "[] allows none."),
    commented(nested("files", Kind::section, Section::files, setting_part<&S::files, &Said::files>,
                     "Static files that ticketgate serves itself. files.yaml is a whole example.")),
    like("{}", nested("ids", Kind::section, Section::route_ids, setting_part<&S::ids, &Said::ids>,
                      "Headers, formats and policies of ids that differ here from those under "
                      "ids.")),
};

constexpr std::array answer_rows{
    Key{.name = "status",
        .kind = Kind::status,
        .why = "The status. The default of on_backend_error is 502, or 504 when the backend was "
               "silent.",
        .bound = setting<&Answer::status, &AnswerOverrides::status>,
        .min = 400,
        .max = 599},
    plain("content_type", Kind::media_type,
          setting<&Answer::content_type, &AnswerOverrides::content_type>, "The type of the body."),
    plain("body", Kind::body, setting<&Answer::body, &AnswerOverrides::body>,
          "The text, of any size. ${request_id} ${unique_id} ${queue} ${waited_ms} ${waiting} "
          "${retry_after} are filled in, and $${queue} is the text ${queue}. With null, a problem "
          "document (RFC 9457) that has all of them."),
    like("busy.html",
         instead_of("body", "body_file", Kind::body_file,
                    "A file with the body, relative to this file. It is read at the start and at a "
                    "reload. Every other ${x} in it stays as it is.")),
    plain("page", Kind::page, setting<&Answer::page, &AnswerOverrides::page>,
          "What a browser gets in place of the body, as text/html: a client whose Accept prefers "
          "text/html to JSON. The placeholders of body are filled in, escaped for HTML. on: the "
          "built-in page. off: browsers get what programs get. With null, the built-in page, "
          "unless a body is set."),
    like("busy.html",
         instead_of("page", "page_file", Kind::body_file,
                    "A file with the page, relative to this file. It is read as body_file is.")),
    plain("headers", Kind::headers, setting<&Answer::headers, &AnswerOverrides::headers>,
          "Headers that are added to the answer. Retry-After is computed, unless it is set here."),
};

constexpr std::array own_route_rows{
    plain("prefix", Kind::prefix, field<&RouteNode::prefix>,
          "A path and everything below it, in whole segments: /a matches /a and /a/b, not /ab. The "
          "longest match decides. Without it, a route with conditions (host, listener, methods, "
          "from, header) has the prefix around it, or /."),
    plain("regex", Kind::regex, field<&RouteNode::regex>,
          "A pattern (RE2) that is searched in the normalised path. Patterns apply after all "
          "prefixes, in the order of the file."),
    varying(plain("host", Kind::hosts, field_by<read_hosts, &RouteNode::when, &Conditions::hosts>,
                  "The host of the request, or a list: www.example.org, or *.example.org for every "
                  "name below it. Case, port and a last dot do not count.")),
    varying(plain("listener", Kind::listeners,
                  field_by<read_listener_names, &RouteNode::when, &Conditions::listeners>,
                  "The listener on which the request came in, by its name under listen, or a "
                  "list.")),
    varying(plain("methods", Kind::methods,
                  field_by<read_filled_list, &RouteNode::when, &Conditions::methods>,
                  "The methods of the requests. GET stands for HEAD as well.")),
    varying(plain("from", Kind::networks,
                  field_by<read_filled_list, &RouteNode::when, &Conditions::from>,
                  "The addresses and networks of the clients, as a trusted proxy names them; unix "
                  "for clients on a unix socket.")),
    varying(
        plain("header", Kind::asked_headers,
              field_by<read_header_conditions, &RouteNode::when, &Conditions::headers>,
              "Header fields and their exact values, as {X-Kind: api}; {X-Kind: {regex: ^a}} "
              "searches a pattern (RE2), {X-Kind: {present: true}} asks for the field. All must "
              "hold.")),
    nested("routes", Kind::list, Section::route, {},
           "Routes below this prefix. Each sets only what differs."),
};
constexpr auto route_rows = both(own_route_rows, settings_rows);

}  // namespace

constinit const std::span<const Key> settings_keys = settings_rows;
constinit const std::span<const Key> answer_keys = answer_rows;
constinit const std::span<const Key> route_keys = route_rows;

}  // namespace ticketgate::config
