// Reads the known-answer files under tests/vectors and their hex.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::ids {

boost::json::value vectors(const std::string& file);
std::vector<std::uint8_t> from_hex(std::string_view text);

inline std::string text(const boost::json::value& object, const char* key) {
    return std::string(object.at(key).as_string());
}
template <class T>
T number(const boost::json::value& object, const char* key) {
    return object.at(key).to_number<T>();
}

}  // namespace ticketgate::ids
