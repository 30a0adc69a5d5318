// Checks the pattern of a route. Pure.
#pragma once

#include "config/values.hpp"

namespace ticketgate::config {

/// Reports a pattern that is none, or that matches no path; warns of one that looks like another
/// server's. False: an error.
bool check_regex(const Value& value);

}  // namespace ticketgate::config
