// Finds how much memory this process may use, and whether a directory lies in memory. Files in such
// a directory are memory that the system cannot write back, and they count against a container's
// limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/settings.hpp"

namespace ticketgate {

Memory memory_for(const std::string& spool_directory);

/// Parses a control group's limit, from `memory.max` (version 2) or `memory.limit_in_bytes`
/// (version 1); nothing: no limit.
std::optional<std::uint64_t> cgroup_limit(std::string_view text);

}  // namespace ticketgate
