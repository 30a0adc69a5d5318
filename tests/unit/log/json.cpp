#include "json.hpp"

#include <boost/json/src.hpp>  // this test only; the product's copy lies elsewhere

namespace ticketgate {

boost::json::value parse_json(std::string_view text) {
    return boost::json::parse(text);
}

std::string text_at(const boost::json::value& object, const char* key) {
    return std::string(object.at(key).as_string());
}

}  // namespace ticketgate
