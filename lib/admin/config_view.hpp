// The config in force and the last attempt to replace it, as values, as JSON and as lines for
// /readyz?verbose. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::admin {

/// The result of a reload.
struct Reloaded {
    std::vector<std::string> problems = {};      ///< not empty: nothing has changed
    std::vector<std::string> need_restart = {};  ///< changed keys that a reload does not apply
    std::vector<std::string> warnings = {};      ///< of the file, as `check` prints them
};

/// What made the process read its file.
enum class ReadBy : std::uint8_t { start, signal, command, watch };

/// One reading of the file.
struct ConfigRead {
    ReadBy by = ReadBy::start;
    WallTime at{};       ///< for people
    Time measured_at{};  /// the same moment, for its age
    Reloaded result = {};

    bool good() const { return result.problems.empty(); }
};

struct ConfigView {
    std::string file;
    bool watched = false;       ///< changes of its files make the process read it
    WallTime in_force_since{};  ///< when the config in force was read
    Time measured_since{};
    ConfigRead last{};  ///< not good: the config in force is older than this
};

/// `start`, `signal`, `command`, `watch`.
std::string name(ReadBy by);

/// At most 100 problems, warnings and keys each, and how many more there are.
std::string config_json(const ConfigView& view, Time now);

/// Lines that tell of the config in force, and of the problems of a file that is not.
std::string config_lines(const ConfigView& view, Time now);

/// When a drain cuts what still runs. One line, without its end.
std::string drain_text(Duration until_cut);

/// At most 100 of these lines, and how many more there are.
std::string some_of(const std::vector<std::string>& lines);

}  // namespace ticketgate::admin
