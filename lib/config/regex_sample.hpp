// A text that a regex probably matches, for the checks of routes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::config {

/// Takes the first alternative of each choice and one character of each class. The caller looks
/// whether the pattern matches it; where it does not, nothing is known.
std::string sample_of(std::string_view regex);

}  // namespace ticketgate::config
