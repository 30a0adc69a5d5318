// The one thread that writes a log, and the bounded queue before it. Event loops and the control
// thread put lines into the queue and never wait: a pipe whose reader stands still, a terminal
// that was stopped, or a slow disk holds up this thread alone.
// Invariants: lines of one caller keep their order; a line is written whole or not at all; what
// does not fit into the queue is dropped by whole lines, counted, and told.
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

    /// Lines were lost. `error`: errno of a write that failed; 0: there was no room for them, and
    /// now there is again. False: it was not told, so they are counted with the next ones. On the
    /// writer's thread, once in ten seconds at most.
    using Lost = std::function<bool(std::uint64_t lines, int error)>;

    explicit LogWriter(std::shared_ptr<LogFile> file, std::size_t max_buffer = default_max_buffer,
                       Lost lost = {});
    /// Gives a slow reader a second.
    ~LogWriter() override { finish(1000ms); }
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    // Any thread.
    void offer(std::string_view lines) noexcept override;
    void lose(std::uint64_t lines) noexcept override;
    /// Lines lost.
    std::uint64_t dropped() const;
    /// Waits until all is written; false: it is not within this time.
    bool drain(milliseconds limit);

    /// The end: what is not written within this time is dropped. A thread that the system holds in
    /// a write is left behind.
    void finish(milliseconds limit);

 private:
    struct Shared;
    static void run(const std::shared_ptr<Shared>& shared);
    bool start();

    std::shared_ptr<Shared> shared_;  // with the thread, which may outlive this
    std::thread thread_;              // begins with the first line
};

}  // namespace ticketgate
