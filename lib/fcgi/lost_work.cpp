#include "fcgi/lost_work.hpp"

#include <algorithm>
#include <chrono>

#include "fcgi/worker_table.hpp"

namespace ticketgate::fcgi {
namespace {

// The table's times come from another clock; a request that began this close to the first page
// may have begun before it.
constexpr Duration grain = 100ms;
constexpr std::chrono::microseconds longest = 24h * 365;

// A worker that reads has a connection, from which a request may come yet.
bool is_idle(const WorkerEntry& worker) {
    return worker.state == "Idle";
}

bool began_after(const WorkerEntry& worker, Time first, const Look& look) {
    if (!worker.microseconds || *worker.microseconds < 0) return false;
    const std::chrono::microseconds running(*worker.microseconds);
    return running < longest && look.asked - running > first + grain;
}

}  // namespace

result<Working> LostWork::still_runs(std::string_view status_json, const Look& look) {
    const auto workers = read_worker_table(status_json);
    if (!workers) return workers.error();
    if (!begun_) {
        for (const WorkerEntry& worker : *workers)
            if (!is_idle(worker)) busy_.push_back(worker.pid);
        first_answered_ = look.answered;
        begun_ = true;
    }
    std::erase_if(busy_, [&](std::int64_t pid) {
        return std::ranges::none_of(*workers, [&](const WorkerEntry& worker) {
            return worker.pid == pid && !is_idle(worker) &&
                   !began_after(worker, first_answered_, look);
        });
    });
    return busy_.empty() ? Working::no : Working::perhaps;
}

}  // namespace ticketgate::fcgi
