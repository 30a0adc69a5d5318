// `${VAR}` in a config file. Substitution works on single scalars after YAML parsing, so a value
// can never change the structure of the file. Pure: the variables come in as a function.
//
//   ${VAR}            its value; a problem when it is not set
//   ${VAR:-default}   the default when it is not set or empty
//   ${VAR:?message}   a problem with this message when it is not set or empty
//   $$                one `$`; a `$` before anything else stands for itself (`^/a$`)
//
// Six names are not variables but the placeholders of answer bodies, filled in for each request;
// they are left as they stand, whatever the environment holds: ${request_id} ${unique_id} ${queue}
// ${waited_ms} ${waiting}
// ${retry_after}. Values are not looked through again, and keys are not substituted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/body_text.hpp"

namespace ticketgate::config {

/// The value of an environment variable; absent when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// For tests and `check`: an environment of exactly these variables.
Environment environment_of(std::map<std::string, std::string, std::less<>> variables);

/// `text` with its variables filled in. What is wrong with it is added to `complaints`.
std::string substitute(std::string_view text, const Environment& environment,
                       std::vector<std::string>& complaints);

/// The same of the body of an answer: dollars that stand directly before a placeholder stay, and
/// mean what body_text.hpp says.
std::string substitute_body(std::string_view text, const Environment& environment,
                            std::vector<std::string>& complaints);

/// The names inside every `${…}` of a text, for checking body files.
std::vector<std::string_view> names_in(std::string_view text);

}  // namespace ticketgate::config
