// JSON as people read it: Boost's own serializer spells 0.25 as 2.5E-1.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace ticketgate::admin {

/// One line, without its end. Doubles, here all of them seconds, stand with six decimals at most.
std::string print_json(const boost::json::value& value);

}  // namespace ticketgate::admin
