// GET /api/v1/ids?format=txid&n=3: ids over plain HTTP, for programs without a noeq client.
#pragma once

#include "admin/answers.hpp"
#include "base/clock.hpp"
#include "ids/generator.hpp"

namespace ticketgate::admin {

/// Without a query: one txid. `generator` belongs to the control thread. Without `snowflakes`,
/// refuses snowflakes: another generator uses this worker number.
HttpResponse ids_page(const Query& query, ids::Generator& generator, bool snowflakes, WallTime now);

}  // namespace ticketgate::admin
