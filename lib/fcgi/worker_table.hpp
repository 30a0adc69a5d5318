// Reads php-fpm's status page (?json&full) defensively: older versions print the user and the
// script's path unescaped, so a client controls parts of the page. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ticketgate::fcgi {

/// An entry of the page: its fields up to the first one that a client controls.
struct WorkerEntry {
    std::int64_t pid = -1;  ///< -1: not a possible one
    std::string state, method, uri;
    std::optional<std::int64_t> microseconds;  ///< absent: the number is not a possible time
};

/// Reads the page as JSON if it is unambiguous: no duplicate keys, no lists or maps that php-fpm
/// does not write, nothing after it, and entries if it announces any. Otherwise (a client's text
/// broke it) reads it as php-fpm's text: all that begins like an entry is one, so a client can add
/// entries but hide none; there must be as many as announced. An added entry delays others only
/// while the client's worker works. Error: upstream_bad_response if neither works.
result<std::vector<WorkerEntry>> read_worker_table(std::string_view json);

}  // namespace ticketgate::fcgi
