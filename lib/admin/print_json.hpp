// JSON for people. Boost's own serializer writes 0.25 as 2.5E-1.
#pragma once

#include <algorithm>
#include <boost/json/value.hpp>
#include <string>

#include "base/clock.hpp"

namespace ticketgate::admin {

/// Never below 0: the wall clock may have been set back.
inline double seconds_between(WallTime then, WallTime now) {
    return std::max(0.0, static_cast<double>(now.unix_us - then.unix_us) / 1e6);
}

/// One line, without a line end. Doubles (all of them are seconds) have at most six decimals.
std::string print_json(const boost::json::value& value);

}  // namespace ticketgate::admin
