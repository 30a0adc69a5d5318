#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

using Service = IdService;

constexpr std::array id_service_rows{
    like("\"127.0.0.1:4444\"",
         required(plain("address", Kind::address, field_by<read_address, &Service::address>,
                        "The address for its clients. noeqd's port is 4444."))),
    count("datacenter", field<&Service::datacenter>, 0, 31,
          "A number that the machines of one place share. No two processes that make snowflakes "
          "may have both the same datacenter and the same worker."),
    count("worker", field<&Service::worker>, 0, 31,
          "A number that no other process of the datacenter has. auto: as in ids.machine.worker.",
          "auto"),
    like("\"${NOEQ_TOKEN}\"",
         plain("token", Kind::text, field<&Service::token>,
               "What a client must send first, at most 255 bytes. Without a token, every client "
               "may ask.")),
    like("/etc/ticketgate/noeq.token", instead_of("token", "token_file", Kind::body_file,
                                                  "A file with the token, relative to this file.")),
    like("/var/lib/ticketgate/id_service.state",
         plain("state_file", Kind::file, field<&Service::state_file>,
               "A file with the time of the last id, relative to this file. It protects against a "
               "clock that is behind after a restart. Without it, the clock is trusted.")),
    count("max_connections", field<&Service::max_connections>, 1, 1000000,
          "Open connections. Above it, the connection that has been idle for longest is closed; if "
          "none is idle, the one that has not taken its ids for longest."),
    count(
        "max_connections_per_client", field<&Service::max_connections_per_client>, 1, 1000000,
        "Connections of one IPv4 address or IPv6 /64. Above it, one of these is closed, chosen in "
        "the same way.",
        "unlimited"),
    duration("login_timeout", field<&Service::login_timeout>,
             "The longest time from the connection to the whole token."),
    duration("idle_timeout", field<&Service::idle_timeout>,
             "Drops a client that asks for nothing for this time."),
    duration("write_timeout", field<&Service::write_timeout>,
             "Drops a client that takes nothing of its ids for this time."),
    duration("clock_wait", field<&Service::clock_wait>,
             "How long ticketgate waits for a clock that is behind the last id. When the clock is "
             "further behind, the connection is closed.",
             {}, 0),
};

}  // namespace

constinit const std::span<const Key> id_service_keys = id_service_rows;

}  // namespace ticketgate::config
