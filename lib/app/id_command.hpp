// `ticketgate id`: makes ids and says what ids mean.
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

/// Exit codes as in commands.hpp; complaints go to `err`.
int make_ids(const IdOrder& order, const config::Environment& environment, std::ostream& out,
             std::ostream& err);

/// Every format each may be, with what it says.
int decode_ids(const std::vector<std::string>& ids, WallTime now, std::ostream& out,
               std::ostream& err);

/// Copies a log, and writes behind each line what the ids in it say.
int annotate_log(std::istream& in, WallTime now, std::ostream& out);

}  // namespace ticketgate
