// php-fpm's status page (?json&full), read with suspicion: older versions print the user and the
// script's path as a client sent them, quotes included, so a client writes parts of it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ticketgate::fcgi {

/// One of its entries, by what stands before anything that a client can write.
struct WorkerEntry {
    std::string state, method, uri;
    std::optional<std::int64_t> microseconds;  ///< absent: a number that no time can be
};

/// Read as JSON, where it has one meaning: no key twice, no list or map that php-fpm does not
/// write, nothing behind it, and workers where it announces some. Else, because of what some client
/// wrote, as the text that php-fpm prints: everything that begins as an entry is one, so a client
/// may add some and hides none; there are no fewer than it announces. Nobody is held up for longer
/// than its worker works. Error, upstream_bad_response: neither.
result<std::vector<WorkerEntry>> read_worker_table(std::string_view json);

}  // namespace ticketgate::fcgi
