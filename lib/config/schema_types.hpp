// The JSON Schema of a key's value, by its kind (config/kinds). Pure; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/string_view.hpp>
#include <string_view>

#include "config/keys.hpp"

namespace ticketgate::config {

/// Converts to the string_view of Boost 1.81.
inline boost::json::string_view to_json(std::string_view text) {
    return {text.data(), text.size()};
}

boost::json::object pattern_schema(std::string_view expression);

boost::json::object flag_schema(const Key&);
boost::json::object number_schema(const Key&);
boost::json::object share_schema(const Key&);
boost::json::object duration_schema(const Key&);
boost::json::object size_schema(const Key&);
boost::json::object choice_schema(const Key&);
boost::json::object text_schema(const Key&);
boost::json::object text_or_off_schema(const Key&);
boost::json::object methods_schema(const Key&);
boost::json::object list_of_text_schema(const Key&);
boost::json::object map_schema(const Key&);
boost::json::object text_or_list_schema(const Key& key);
boost::json::object asked_headers_schema(const Key& key);
boost::json::object body_schema(const Key&);
boost::json::object page_schema(const Key&);
boost::json::object prefix_schema(const Key&);
boost::json::object section_schema(const Key&);
boost::json::object section_or_off_schema(const Key&);
boost::json::object sections_schema(const Key&);
boost::json::object named_schema(const Key&);

}  // namespace ticketgate::config
