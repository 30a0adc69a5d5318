#include "table.hpp"

#include <cinttypes>

#include "../text_lite.hpp"

namespace loadtest {

std::string table_head() {
    return "scenario          requests overlap   inv inv1ms inv! ghost early  gap50  gap99  gapmax"
           "  lost wrong  dup stuck      fds     rss MiB viol   sec\n";
}

std::string table_line(const Row& row) {
    std::string out;
    print(out, "%-17s %8" PRIu64 " %7" PRIu64 " %5" PRIu64 " %6" PRIu64 " %4" PRIu64,
          row.scenario.c_str(), row.requests, row.overlaps, row.inversions_strict, row.inversions,
          row.inversions_sure);
    print(out, " %5" PRIu64 " %5" PRIu64, row.ghosts, row.early);
    print(out, " %6" PRIu64 " %6" PRIu64 " %7" PRIu64, row.gap_p50_us, row.gap_p99_us,
          row.gap_max_us);
    print(out, " %5" PRIu64 " %5" PRIu64 " %4" PRIu64 " %5" PRIu64, row.lost, row.wrong,
          row.duplicates, row.stuck);
    print(out, " %3" PRIu64 ">%-4" PRIu64 " %5.1f>%-5.1f", row.fds_before, row.fds_after,
          static_cast<double>(row.rss_before_kib) / 1024,
          static_cast<double>(row.rss_after_kib) / 1024);
    print(out, " %4" PRIu64 " %5.1f  %s\n", row.violations,
          static_cast<double>(row.milliseconds) / 1000, row.kept() ? "kept" : "BROKEN");
    for (const auto& complaint : row.complaints) print(out, "    %s\n", complaint.c_str());
    return out;
}

std::string json_line(const Row& row) {
    std::string out;
    const auto number = [&out](const char* name, std::uint64_t value) {
        print(out, ",\"%s\":%" PRIu64, name, value);
    };
    print(out, "{\"scenario\":\"%s\",\"kept\":%s", row.scenario.c_str(),
          row.kept() ? "true" : "false");
    number("requests", row.requests);
    number("overlaps", row.overlaps);
    number("inversions_strict", row.inversions_strict);
    number("inversions", row.inversions);
    number("inversions_sure", row.inversions_sure);
    number("ghosts", row.ghosts);
    number("early", row.early);
    number("hand_overs", row.hand_overs);
    number("gap_p50_us", row.gap_p50_us);
    number("gap_p99_us", row.gap_p99_us);
    number("gap_max_us", row.gap_max_us);
    number("lost", row.lost);
    number("wrong", row.wrong);
    number("duplicates", row.duplicates);
    number("stuck", row.stuck);
    number("fds_before", row.fds_before);
    number("fds_after", row.fds_after);
    number("rss_before_kib", row.rss_before_kib);
    number("rss_after_kib", row.rss_after_kib);
    number("violations", row.violations);
    number("complaints", row.complaints.size());
    number("milliseconds", row.milliseconds);
    return out + "}\n";
}

}  // namespace loadtest
