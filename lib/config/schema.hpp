// The JSON Schema (draft 2020-12) of the config file, for editors: shipped as config/schema.json
// and printed by `ticketgate schema`. Made from the table in keys.hpp, like the parser.
#pragma once

#include <string>

namespace ticketgate::config {

std::string json_schema();

}  // namespace ticketgate::config
