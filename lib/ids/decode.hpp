// What an id may be and what it says: every format that could have made the text, with its time,
// machine, process and counter. Pure; for the command line and the log, not for requests.
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
    std::string format;            ///< as the config spells it, or another program's
    std::optional<WallTime> time;  ///< absent: the format has none
    bool whole_seconds = false;    ///< how fine the time is; else milliseconds
    std::vector<std::pair<std::string, std::string>> fields;  ///< in the order of the id
    std::string note;                                         ///< what to know about this reading
    bool plausible = true;  ///< its time lies between the format's birth and tomorrow
};

/// All of them, the plausible first. Empty: no format known here makes such a text.
std::vector<Reading> readings(std::string_view id, WallTime now);

/// Why `readings` is empty, for people.
std::string why_no_id(std::string_view text);

}  // namespace ticketgate::ids
