// Substitutes `${VAR}` in a config file. Works on single scalars after YAML parsing, so a value can
// never change the structure of the file. Pure: the variables come in as a function.
//
//   ${VAR}            its value; a problem if it is not set
//   ${VAR:-default}   the default if it is not set or empty
//   ${VAR:?message}   a problem with this message if it is not set or empty
//   $$                one `$`; any other `$` stays as it is (`^/a$`)
//
// Six names are not variables but placeholders of answer bodies, filled in for each request:
// ${request_id} ${unique_id} ${queue} ${waited_ms} ${waiting} ${retry_after}. They stay as they
// are, even if the environment has such a variable. Values are not substituted again; keys are not
// substituted at all.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/body_text.hpp"

namespace ticketgate::config {

/// Returns the value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Returns an environment of exactly these variables, for tests and `check`.
Environment environment_of(std::map<std::string, std::string, std::less<>> variables);

/// Returns `text` with its variables filled in. Adds errors to `complaints`.
std::string substitute(std::string_view text, const Environment& environment,
                       std::vector<std::string>& complaints);

/// The same for the body of an answer: keeps the dollars directly before a placeholder, for
/// body_text.hpp.
std::string substitute_body(std::string_view text, const Environment& environment,
                            std::vector<std::string>& complaints);

/// Returns the name in each `${…}` of a text, to check body files.
std::vector<std::string_view> names_in(std::string_view text);

}  // namespace ticketgate::config
