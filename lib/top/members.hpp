// Members of the admin server's JSON. Each throws when the member is missing or of another kind.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace ticketgate::top {

inline std::string text(const boost::json::object& from, const char* key) {
    return std::string(from.at(key).as_string());
}

}  // namespace ticketgate::top
