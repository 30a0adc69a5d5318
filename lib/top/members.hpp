// Reads members of the JSON of the admin server. Throws when one is missing or of another kind.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace ticketgate::top {

inline std::string text(const boost::json::object& from, const char* key) {
    return std::string(from.at(key).as_string());
}

}  // namespace ticketgate::top
