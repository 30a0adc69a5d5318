// `ticketgate id`: makes ids and decodes ids.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "config/environment.hpp"
#include "config/model.hpp"

namespace ticketgate {

struct IdOrder {
    std::string format = "txid";
    std::uint64_t count = 1;
    config::Machine machine;
};

/// Returns an exit code of commands.hpp; errors go to `err`.
int make_ids(const IdOrder& order, const config::Environment& environment, std::ostream& out,
             std::ostream& err);

/// Prints every format that each id may have, with the decoded content.
int decode_ids(const std::vector<std::string>& ids, WallTime now, std::ostream& out,
               std::ostream& err);

/// Copies a log, and appends to each line what its ids mean.
int annotate_log(std::istream& in, WallTime now, std::ostream& out);

}  // namespace ticketgate
