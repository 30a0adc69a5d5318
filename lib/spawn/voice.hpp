// Logs the lines of one worker and of the jobs that it has started. It lives as long as one of them
// may write, which can be longer than its crew. Control thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "log/log.hpp"
#include "spawn/line_limit.hpp"

namespace ticketgate::spawn {

class Voice {
 public:
    /// `lines`: the limit of all workers of its pool.
    Voice(Log& log, std::string upstream, pid_t pid, std::shared_ptr<LineLimit> lines)
        : log_(log), upstream_(std::move(upstream)), pid_(pid), lines_(std::move(lines)) {}
    /// Tells what was dropped.
    ~Voice();
    Voice(const Voice&) = delete;
    Voice& operator=(const Voice&) = delete;

    /// `request_id`: of the request that has written the line; empty: none has.
    void says(std::string_view line, std::string_view request_id);
    /// Tells how many lines were dropped, and the last one, if it is time. `ended`: the worker has
    /// ended, and that line may say why.
    void tell_dropped(bool ended);

 private:
    Log& log_;
    const std::string upstream_;
    const pid_t pid_;
    const std::shared_ptr<LineLimit> lines_;
    Speech speech_;
};

}  // namespace ticketgate::spawn
