// Decodes an id: every format that could have made the text, with the time, machine, process and
// counter in it. Pure; for the command line and the log, not on a request's path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::ids {

/// One way to read an id.
struct Reading {
    std::string format;            ///< as the config spells it, or another program's name
    std::optional<WallTime> time;  ///< absent: the format holds none
    bool whole_seconds = false;    ///< the resolution of the time; else milliseconds
    std::vector<std::pair<std::string, std::string>> fields;  ///< in the order of the id
    std::string note;                                         ///< a remark for people
    bool plausible = true;  ///< the time is between the release of the format and a day from now
};

/// All readings, the plausible ones first. Empty: the text fits no known format.
std::vector<Reading> readings(std::string_view id, WallTime now);

/// Tells people why `readings` is empty.
std::string why_no_id(std::string_view text);

}  // namespace ticketgate::ids
