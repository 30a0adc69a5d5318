// Regexes and texts that they match, for the checks of routes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::config {

/// A text that the regex probably matches: takes the first alternative of each choice and one
/// character of each class. The caller looks whether the pattern matches it; where it does not,
/// nothing is known.
std::string sample_of(std::string_view regex);

/// A prefix as a part of a regex, without slashes at its end.
std::string quoted(std::string_view prefix);

}  // namespace ticketgate::config
