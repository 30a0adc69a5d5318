#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array clients_rows{
    count("max_connections", field<&Clients::max_connections>, 1, 1000000,
          "Connections that are accepted at one time. More wait in the kernel's backlog."),
    count("max_connections_per_client", field<&Clients::max_connections_per_client>, 1, 1000000,
          "Connections of one IPv4 address or IPv6 /64 at one time. Above it: 429, or with TLS the "
          "connection is closed before the handshake. trusted_proxies are not counted, so a proxy "
          "in front must limit its own clients.",
          "unlimited"),
    count("max_requests", field<&Clients::max_requests>, 1, 1000000000,
          "Requests on one connection.", "unlimited"),
    size("max_head", field<&Clients::max_head>, "The largest request head. Above it: 431.", kib,
         mib),
    size("max_uri", field<&Clients::max_uri>, "The largest request target. Above it: 414.", 64,
         mib),
    count("max_headers", field<&Clients::max_headers>, 1, 10000,
          "The most fields in a request head. Above it: 431."),
    size("max_input", field<&Clients::max_input>,
         "Memory for the input of all clients together. Three quarters are for heads that are "
         "incomplete, and for requests that arrive behind one that is being served, which may use "
         "half; an eighth is for whole requests that wait for a disk, and an eighth for bytes "
         "behind a request for a tunnel. Above it: 503, or the connection ends after the current "
         "answer.",
         64 * kib),
    duration(
        "head_timeout", field<&Clients::head_timeout>,
        "The longest time from the first byte of a head to its end; the first one of a connection "
        "counts from its accept. Then: 408, or, without a byte, the end of the connection."),
    duration("idle_timeout", field<&Clients::idle_timeout>,
             "How long a connection is kept open between requests."),
    duration("write_timeout", field<&Clients::write_timeout>,
             "Drops a client that takes nothing of its answer for this time."),
    duration("linger_time", field<&Clients::linger_time>,
             "After an answer that ends the connection during an upload (such as 413), how long "
             "the rest of the upload is read and dropped. The client then sees the answer instead "
             "of a reset.",
             {}, 0),
    duration("linger_timeout", field<&Clients::linger_timeout>,
             "Ends this reading earlier when the client has been silent for this time."),
    choice("unusual_names", field<&Clients::unusual_names>, "drop|forward|refuse",
           "What happens to fields whose names have other characters than letters, digits and "
           "hyphens, such as X_Real_IP. CGI and FastCGI servers mistake them for others "
           "(X-Real-IP). refuse: 400."),
    plain("trusted_proxies", Kind::networks, field<&Clients::trusted_proxies>,
          "Networks of proxies, such as [10.0.0.0/8]. Their X-Forwarded-* headers are extended "
          "instead of replaced, and their ids may be kept. unix stands for every connection to a "
          "unix socket under listen."),
    plain("inside", Kind::networks, field<&Clients::inside>,
          "Networks from which nothing but the backends calls, such as [172.18.0.5]: a request "
          "from there, while one of its queue is in flight, is a call from inside (inside_calls). "
          "It must hold no proxy that passes clients on without X-Forwarded-For. unix stands for "
          "every connection to a unix socket under listen."),
    plain("address_headers", Kind::header_names, field<&Clients::address_headers>,
          "Headers that tell a client's address, such as X-Real-IP and CF-Connecting-IP. They are "
          "dropped, in every spelling, unless a proxy of trusted_proxies sent them. default "
          "stands for those that docs/recipes/behind-another-proxy.md lists: "
          "[default, X-Our-CDN-Client]. [] forwards all."),
    plain("path_headers", Kind::header_names, field<&Clients::path_headers>,
          "Headers that some frameworks use as the path, such as X-Original-URL and X-Rewrite-URL. "
          "They are dropped in every spelling, also from trusted proxies, since their path may "
          "belong to another route. default stands for those that docs/configuration.md lists."),
};

}  // namespace

constinit const std::span<const Key> clients_keys = clients_rows;

}  // namespace ticketgate::config
