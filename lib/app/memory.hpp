// How much memory this process may use, and whether a directory lies in memory: there, files are
// memory that the system cannot swap out or write back, and in a container they count against its
// limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/settings.hpp"

namespace ticketgate {

Memory memory_for(const std::string& spool_directory);

/// The limit that the files of a control group give: `memory.max` (version 2) or
/// `memory.limit_in_bytes`; absent: none.
std::optional<std::uint64_t> cgroup_limit(std::string_view text);

}  // namespace ticketgate
