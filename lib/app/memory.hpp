// How much memory this process may use, and whether a directory lies in memory: there, files are
// memory that the system cannot swap out or write back, and in a container they count against its
// limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/model.hpp"

namespace ticketgate {

/// How much memory this process may use, and whether spool files are a part of it.
struct Memory {
    std::uint64_t limit = ~std::uint64_t{0};  ///< of the cgroup or the machine; unknown: the most
    bool spool_in_memory = false;             ///< spool.directory is on tmpfs or ramfs
};
Memory memory_for(const std::string& spool_directory);

/// The limit that the files of a control group give: `memory.max` (version 2) or
/// `memory.limit_in_bytes`; absent: none.
std::optional<std::uint64_t> cgroup_limit(std::string_view text);

/// `max_disk` as it counts: where the file does not set it and the directory lies in memory, at
/// most a quarter of what the process may use.
config::Bytes spool_disk(const config::Spool& spool, bool max_disk_given, const Memory& memory);

}  // namespace ticketgate
