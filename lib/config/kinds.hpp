// One row for each kind of value: its name on the reference page and in messages, and its part of
// the schema. Constant data; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "config/keys.hpp"

namespace ticketgate::config {

struct KindRow {
    Kind kind;
    std::string_view type;      ///< on the reference page
    std::string_view expected;  ///< in messages; limits follow, if any
    boost::json::object (*schema)(const Key&);
    std::string (*limits)(const Key&) = nullptr;  ///< null: every value of the kind is allowed
};

const KindRow& row_of(Kind kind);

}  // namespace ticketgate::config
