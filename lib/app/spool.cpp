#include "app/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/memory.hpp"
#include "base/text.hpp"

namespace ticketgate {
namespace {

void warn(const config::Config& config, const std::string& path, const std::string& message,
          config::Problems& problems) {
    problems.warn(config.mark_of(path), path, message);
}

// Warns about spool files on a tmpfs: they are memory, and may use half of the limit at most.
void warn_files(const config::Config& config, const Memory& memory, config::Problems& problems) {
    const config::Spool& spool = config.spool;
    const auto disk = spool_disk(spool, gives_max_disk(config), memory);
    const std::string where = spool.directory + " is in memory (tmpfs), and this process may use " +
                              print_size(memory.limit);
    if (disk > memory.limit / 2)
        warn(config, "spool.max_disk",
             print_size(disk) + " of files: " + where +
                 "; set spool.directory to a folder on a disk, or max_disk to " +
                 print_size(spool_disk(spool, false, memory)) + " or less",
             problems);
    else if (disk < spool.max_disk)
        warn(config, "spool.directory",
             where + ", so max_disk is " + print_size(disk) +
                 "; bodies beyond it get 503: set it "
                 "to a folder on a disk, or set max_disk",
             problems);
}

}  // namespace

void memory_problems(const config::Config& config, const Memory& memory,
                     config::Problems& problems) {
    if (memory.spool_in_memory) warn_files(config, memory, problems);
    const config::Bytes kept = config.spool.max_memory + config.clients.max_input;
    if (kept > memory.limit / 2)
        warn(config, "spool.max_memory",
             print_size(config.spool.max_memory) + " and clients.max_input " +
                 print_size(config.clients.max_input) + " are more than half of the " +
                 print_size(memory.limit) + " that this process may use; lower them",
             problems);
}

std::string spool_trouble(const http::SpoolBudget& spool, Time now) {
    constexpr Duration recent = 60s;
    if (spool.refused() == 0 || now - spool.last_refused() > recent) return {};
    const auto& limits = spool.limits();
    const auto ago = std::chrono::floor<seconds>(now - spool.last_refused()).count();
    const std::string what = "uploads are refused (" + std::to_string(spool.refused()) +
                             " since the start, the last " +
                             std::to_string(std::max<std::int64_t>(ago, 0)) + " s ago): ";
    if (spool.fault() != 0)
        return "the spool cannot be written, so " + what + std::strerror(spool.fault()) + " in " +
               limits.directory + "; make room there, or set spool.directory to another folder";
    return "the spool is full, so " + what + "spool.max_memory and spool.max_disk (" +
           print_size(limits.max_disk) + " in " + limits.directory +
           ") are reached; raise spool.max_disk";
}

std::vector<config::Problem> spool_problems(const config::Config& config, SpoolUse use) {
    config::Problems problems;
    const std::string path = "spool.directory";
    const int fault = http::SpoolBudget::fault_of(config.spool.directory);
    const std::string why = "cannot create a file in " + config.spool.directory + ": " +
                            std::strerror(fault) +
                            "; bodies larger than memory_per_body would be refused";
    const bool full = fault == ENOSPC || fault == EDQUOT;
    const bool set = config.marks.contains(path);
    if (fault != 0 && set && !full && use == SpoolUse::at_start)
        problems.error(config.mark_of(path), path, why);
    else if (fault != 0)
        problems.warn(set ? config.mark_of(path) : config::Mark{}, path, why);
    memory_problems(config, memory_for(config.spool.directory), problems);
    return problems.take();
}

}  // namespace ticketgate
