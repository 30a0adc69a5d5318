// What php-fpm's status page (pm.status_listen, ?json&full) tells of its workers: may one of them
// still run a request whose response has ended, because the script called
// fastcgi_finish_request()? Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "fcgi/script.hpp"

namespace ticketgate::fcgi {

enum class Working : std::uint8_t { no, perhaps };

/// A request that is over for its client, as the workers' table shows it.
struct Trace {
    std::string_view method;
    Script script;
    std::string_view query;  ///< without the question mark
    Time sent, ended;
};

/// When the table was asked for, and when it was here.
struct Look {
    Time asked, answered;
};

/// perhaps, unless the table rules it out: a worker counts as running the request if it is not
/// idle, began while the request was sent or answered, and shows its method and URI. Of the URI
/// only what the table surely has is compared: it cuts long names, leaves out what is no UTF-8, and
/// says SCRIPT_NAME, the first part of it, or PATH_INFO, as cgi.fix_pathinfo has it. So a request
/// that cannot be told from ours delays the answer `no`, and ours is never taken for another.
/// Nor by what a client writes into the table where php-fpm does not escape it.
/// Error, upstream_bad_response: no such table, or one that leaves a doubt (worker_table.hpp).
result<Working> still_runs(std::string_view status_json, const Trace& trace, const Look& look);

}  // namespace ticketgate::fcgi
