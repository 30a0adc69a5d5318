// Follows a path step by step, as the system does when it opens the file, and tells in which folder
// each name is looked up: whatever changes the file that a path leads to changes one of these
// names. Reads folders and links only. Any thread.
#pragma once

#include <functional>
#include <string>

#include "base/clock.hpp"

namespace ticketgate {

/// What a path led to when it was followed.
struct PathWalk {
    std::string file;  ///< without symbolic links; empty: it leads to nothing
    /// When the file or a link on the way was last changed (ctime).
    WallTime changed{};
};

/// Called for each step, before the name is looked up: a watch that begins here misses no change.
using OnStep = std::function<void(const std::string& folder, const std::string& name)>;

/// A relative path begins at the working directory.
PathWalk walk_path(const std::string& path, const OnStep& on_step);

}  // namespace ticketgate
