// Reads from php-fpm's status page (pm.status_listen, ?json&full) whether a worker may still run a
// request whose response has ended, because the script called fastcgi_finish_request(). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "fcgi/script.hpp"

namespace ticketgate::fcgi {

enum class Working : std::uint8_t { no, perhaps };

/// A request whose response has ended, as the table of workers shows it.
struct Trace {
    std::string_view method;
    Script script;           ///< as the variables of the request named it
    std::string_view query;  ///< without the question mark
    Time sent, ended;
};

/// When the table was requested, and when it arrived.
struct Look {
    Time asked, answered;
};

/// Returns perhaps, unless the table rules it out. A worker may run the request if it is not idle,
/// began while the request was sent or answered, and shows its method and URI. Compares only what
/// the table surely has of the URI: php-fpm cuts long names, drops bytes that are not UTF-8, and
/// shows SCRIPT_NAME, its first part, or PATH_INFO, depending on cgi.fix_pathinfo. So a request
/// that looks like ours delays the answer `no`, but ours is never taken for another, even if a
/// client writes into a table that php-fpm does not escape. Error, upstream_bad_response: no such
/// table, or an ambiguous one (worker_table.hpp).
result<Working> still_runs(std::string_view status_json, const Trace& trace, const Look& look);

}  // namespace ticketgate::fcgi
