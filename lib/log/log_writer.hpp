// The one thread that writes a log, and its bounded queue. Event loops and the control thread put
// lines into the queue and never wait: a pipe whose reader stalls, a stopped terminal, or a slow
// disk blocks this thread alone.
// Invariants: lines of one caller keep their order; a line is written whole or not at all; lines
// that do not fit into the queue are dropped whole, counted and reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "log/line_sink.hpp"

namespace ticketgate {

class LogWriter final : public LineTaker {
 public:
    static constexpr std::size_t default_max_buffer = 1 << 20;

    struct Loss {
        std::uint64_t lines;  // since the last report
        /// errno of the last write that failed; ENOMEM, EAGAIN: there was no memory or no thread;
        /// 0: the queue was full, and has room again.
        int error;
        bool fails_now;  // the last write failed: a report in this log would be lost, too
        bool waits_now;  // the reader stands still: the same

        const char* why() const;  ///< the error, for people
    };
    /// Reports lost lines. Returns false if it could not report them: they count with the next
    /// ones. Runs on the writer's thread, at most once in ten seconds; the last time, if that
    /// thread is blocked, on the one that calls finish().
    using Lost = std::function<bool(const Loss&)>;

    explicit LogWriter(std::shared_ptr<LogFile> file, std::size_t max_buffer = default_max_buffer,
                       Lost lost = {});
    /// Waits up to a second for a slow reader.
    ~LogWriter() override { finish(1000ms); }
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    // Any thread.
    void offer(std::string_view lines) noexcept override;
    void lose(std::uint64_t lines) noexcept override;  ///< for want of memory
    /// Lines lost.
    std::uint64_t dropped() const;
    /// Waits until every line is written; false: `limit` passed first.
    bool drain(milliseconds limit);

    /// Ends the thread. Drops the lines of a write that takes longer than `limit`, and those behind
    /// it; detaches the thread if it is blocked in a write.
    void finish(milliseconds limit);

 private:
    struct Shared;
    static void run(const std::shared_ptr<Shared>& shared);
    int start();

    std::shared_ptr<Shared> shared_;  // shared with the thread, which may outlive this
    std::thread thread_;              // started by the first line
};

}  // namespace ticketgate
