// Boost.JSON for the tests of the log, which alone link it.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace ticketgate {

/// Throws what Boost.JSON throws. Strict: UTF-8 is checked.
boost::json::value parse_json(std::string_view text);

std::string text_at(const boost::json::value& object, const char* key);

}  // namespace ticketgate
