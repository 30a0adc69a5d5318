#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array workers_rows{
    like("[php-cgi]",
         required(plain("command", Kind::words, field<&Workers::command>,
                        "The program and its arguments. Each worker runs one request at a time. "
                        "The program is looked up in PATH."))),
    choice("transport", field<&Workers::transport>, "socket|descriptors",
           "How a worker gets connections. socket: it accepts them from its descriptor 0, as "
           "php-cgi and every other FastCGI program does. descriptors: they are passed to it one "
           "by one, as kfcgi does (FCGI_LISTENSOCK_DESCRIPTORS)."),
    count("min", field<&Workers::min>, 0, 10000, "Workers that are always there."),
    count("max", field<&Workers::max>, 1, 10000,
          "The most workers at one time, not below min. auto: as many as the queues of this "
          "upstream can have in flight, and two for each processor, but at least four, for "
          "requests without a slot: not queued, released, or an event stream.",
          "auto"),
    duration("idle_timeout", field<&Workers::idle_timeout>,
             "A worker above min ends when it had no request for this time."),
    count("max_requests", field<&Workers::max_requests>, 1, 1000000000,
          "A worker is replaced after this many requests.", "unlimited"),
    duration("start_timeout", field<&Workers::start_timeout>,
             "A worker that does not wait for its first request by then is ended, and another one "
             "is started."),
    duration("stop_timeout", field<&Workers::stop_timeout>,
             "A worker that does not end after SIGTERM is killed after this time."),
    like("www-data", plain("user", Kind::text, field<&Workers::user>,
                           "The account of the workers. Only root can change it. Without it, "
                           "ticketgate's own.")),
    like("www-data", plain("group", Kind::text, field<&Workers::group>,
                           "Their group. Without it, the group of user. Needs user.")),
    like("/var/www/html", plain("directory", Kind::folder, field<&Workers::directory>,
                                "Their working directory. Without it, ticketgate's.")),
    like("\"027\"", plain("umask", Kind::text, field<&Workers::umask>,
                          "Their file mode creation mask, in octal and in quotes. Without it, "
                          "ticketgate's.")),
    plain(
        "environment", Kind::environment, field<&Workers::environment>,
        "Variables for the workers, beside those of ticketgate. Variables that tokens, secrets and "
        "passwords of this file name are not passed on."),
    flag("clear_environment", field<&Workers::clear_environment>,
         "Keeps ticketgate's own variables from the workers, except PATH."),
    plain("rlimits", Kind::rlimits, field<&Workers::rlimits>,
          "Limits of setrlimit(2) for each worker: as, core, cpu, data, fsize, memlock, nofile, "
          "nproc, stack. Each is a number, a size or unlimited."),
};

}  // namespace

constinit const std::span<const Key> workers_keys = workers_rows;

}  // namespace ticketgate::config
