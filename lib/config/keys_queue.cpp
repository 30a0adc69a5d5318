#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array queue_rows{
    count("max_in_flight", field<&Queue::max_in_flight>, 1, 100000,
          "Requests that the backend may have at one time. 1 is mutual exclusion."),
    choice("order", field<&Queue::order>, "ready|arrival",
           "What happens at an unfinished upload. ready: later requests overtake it, and it keeps "
           "its number. arrival: the queue waits for it."),
    duration("hold_timeout", field<&Queue::hold_timeout>,
             "How long one request may hold its slot. never fails closed: a backend that hangs "
             "stops the queue, and exclusion holds.",
             "never"),
    choice("on_hold_timeout", field<&Queue::on_hold_timeout>, "keep|release",
           "What happens after hold_timeout. keep: the slot stays held and is reported. release: "
           "the queue fails open, and two requests may run at once."),
    choice("release", field<&Queue::release>, "response|worker_idle",
           "When the slot is free again. response: at the end of the response. worker_idle: when "
           "php-fpm's status also shows that no worker still runs the request, for scripts that "
           "call fastcgi_finish_request()."),
    count("max_inside", field<&Queue::max_inside>, 1, 1000,
          "For inside_calls: pass and pass_any, the most calls within one slot: one inside the "
          "other, and beside "
          "each other. Above it: 508."),
    flag("cluster", field<&Queue::cluster>,
         "One line over all replicas of the cluster. Needs cluster, and hold_timeout must be "
         "written."),
    plain(
        "token", Kind::header_name, field_by<read_token, &Queue::token>,
        "With cluster: the header in which each request carries its fencing number, which rises "
        "with each grant over all replicas and restarts; Fencing-Queue names the queue. A backend "
        "that refuses lower numbers is safe even from a replica that stood still. off: none."),
};

}  // namespace

constinit const std::span<const Key> queue_keys = queue_rows;

}  // namespace ticketgate::config
