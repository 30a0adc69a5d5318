// Finds out from php-fpm's status pages that nothing runs any more of what a lost replica had sent
// (CLUSTER.md section 4). Pure.
//
// Before the first page, a request that came to the same listening socket after the last one of the
// lost replica must have been answered: workers take connections in their order, so a worker has
// then taken all that it had sent. The first page shows which workers are busy. Each of them is
// over when it is idle, gone, or has begun another request.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "fcgi/workers.hpp"

namespace ticketgate::fcgi {

class LostWork {
 public:
    /// Reads a page. Error, upstream_bad_response: it tells nothing.
    result<Working> still_runs(std::string_view status_json, const Look& look);

 private:
    bool begun_ = false;
    Time first_answered_{};
    std::vector<std::int64_t> busy_;  // pids; a client can add entries to a page, and hide none
};

}  // namespace ticketgate::fcgi
