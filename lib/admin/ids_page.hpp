// GET /api/v1/ids?format=txid&n=3: ids over plain HTTP, for programs without a noeq client.
#pragma once

#include "admin/answers.hpp"
#include "base/clock.hpp"
#include "ids/generator.hpp"

namespace ticketgate::admin {

/// Without a query, one txid. The generator is the control thread's own. Without `snowflakes` none
/// are given: another generator counts with this worker number.
HttpResponse ids_page(const Query& query, ids::Generator& generator, bool snowflakes, WallTime now);

}  // namespace ticketgate::admin
