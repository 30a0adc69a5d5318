#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array spool_rows{
    size("memory_per_body", field<&Spool::memory_per_body>,
         "A larger body goes to an unlinked file."),
    size("max_memory", field<&Spool::max_memory>,
         "The memory for all bodies together. Above it, bodies go to files."),
    size("max_disk", field<&Spool::max_disk>,
         "The size of all files together. Above it: 503. Files on tmpfs count against the memory "
         "limit of a container, so the default there is at most a quarter of the memory."),
    plain("directory", Kind::text, field<&Spool::directory>, "Where the files are made."),
};

constexpr std::array log_rows{
    choice("access", field<&Log::access>, "off|json|combined", "The format of the access log."),
    plain("access_file", Kind::text, field<&Log::access_file>,
          "The file of the access log. - is stdout. SIGUSR1 opens the file again."),
    choice("level", field<&Log::level>, "debug|info|warn|error",
           "The level of the operational log, which goes to stderr."),
    size("max_buffer", field<&Log::max_buffer>,
         "The size of the lines that wait for a slow reader, in each of the two logs. Above it, "
         "lines are dropped and counted (ticketgate_log_dropped_lines_total). The log reports the "
         "loss when lines flow again.",
         4 * kib, gib),
};

}  // namespace

constinit const std::span<const Key> spool_keys = spool_rows;
constinit const std::span<const Key> log_keys = log_rows;

}  // namespace ticketgate::config
