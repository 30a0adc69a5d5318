// Prints JSON for people: Boost's own serializer writes 0.25 as 2.5E-1.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace ticketgate::admin {

/// One line, without a line end. Doubles (all of them are seconds) have at most six decimals.
std::string print_json(const boost::json::value& value);

}  // namespace ticketgate::admin
