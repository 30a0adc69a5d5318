// GET /api/v1/ids?format=txid&n=3: ids over plain HTTP, for programs without a noeq client.
#pragma once

#include <string_view>

#include "admin/server.hpp"
#include "base/clock.hpp"
#include "ids/generator.hpp"

namespace ticketgate::admin {

/// `query`: what stands behind the question mark; without it, one txid. The generator is the
/// control thread's own. Without
/// `snowflakes` none are given: somebody else counts with its worker number.
HttpResponse ids_page(std::string_view query, ids::Generator& generator, bool snowflakes,
                      WallTime now);

}  // namespace ticketgate::admin
