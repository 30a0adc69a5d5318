// Writes finished log lines without ever blocking an event loop.
// LogFile: one open file, shared by all threads (its own mutex). LineSink: the batch of one I/O
// thread; not thread-safe. A LogWriter (log_writer.hpp) stands between the two.
// Invariants: a line is written whole before another begins, from any thread; lines of one sink
// keep their order. The process ignores SIGPIPE and SIGXFSZ (app does that); sends to sockets use
// MSG_NOSIGNAL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace ticketgate {

/// The number of whole lines.
std::size_t count_lines(std::string_view text);

/// Takes whole lines and never waits; drops lines for which it has no room or no memory.
class LineTaker {
 public:
    virtual ~LineTaker() = default;
    virtual void offer(std::string_view lines) noexcept = 0;
    /// Counts lines that were lost before they came here, for want of memory.
    virtual void lose(std::uint64_t lines) noexcept = 0;
};

/// A write can still wait: a pipe or terminal that had room may be full when the write comes, if
/// other processes write to it. So loops write through a LogWriter.
class LogFile final : public LineTaker {
 public:
    explicit LogFile(int fd);            ///< borrowed, such as stdout; reopen does nothing
    explicit LogFile(std::string path);  ///< opened for appending; see `opened`
    ~LogFile() override;
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Why the path could not be opened; no error if it was.
    [[nodiscard]] error_code opened() const { return opened_; }

    /// Opens the path again, after a log rotation (USR1). On failure the old file stays.
    [[nodiscard]] error_code reopen();

    /// `bytes` (whole lines) are done with. Of these, `lost_lines` lines were lost because the file
    /// refuses them for good, with errno in `error`, or for want of memory (ENOMEM). The caller
    /// should offer the rest, if any, again later.
    struct Taken {
        std::size_t bytes = 0;
        std::size_t lost_lines = 0;
        int error = 0;
    };
    Taken write(std::string_view lines);
    /// Writes directly, for callers without a loop.
    void offer(std::string_view lines) noexcept override { (void)write(lines); }
    void lose(std::uint64_t) noexcept override {}

    /// True while the rest of a cut line is unwritten. An empty `write` continues it.
    bool unfinished();

    /// Waits until the reader takes more or the time is up.
    void wait_writable(milliseconds limit);

 private:
    enum class Kind : std::uint8_t { direct, pipe, socket, terminal };
    enum class Ready : std::uint8_t { yes, later, gone };

    static Kind kind_of(int fd);
    Ready ready();
    long put(std::string_view bytes);
    Ready finish_line();
    bool keep(std::string_view rest);
    std::size_t piece(std::string_view lines) const;

    std::mutex mutex_;  // guards all below: a line is whole before the next begins
    std::string path_;  // empty: borrowed
    int fd_ = -1;
    Kind kind_ = Kind::direct;
    std::string unfinished_;  // the rest of a line that was cut; goes out before anything else
    std::size_t lost_ = 0;    // lines cut for good, not yet reported to a writer
    int refused_ = 0;         // errno of the last write that failed, or an equivalent
    error_code opened_;
};

class LineSink {
 public:
    explicit LineSink(LineTaker& taker) : taker_(taker) {}
    ~LineSink() { flush(); }
    LineSink(const LineSink&) = delete;
    LineSink& operator=(const LineSink&) = delete;

    /// Appends a whole line, newline included. Passes on a full batch; `flush`, from the loop's
    /// tick, passes on the rest.
    void append(std::string_view line) noexcept;
    void lose(std::uint64_t lines) noexcept { taker_.lose(lines); }
    void flush() noexcept;
    std::size_t buffered() const { return buffer_.size(); }

 private:
    LineTaker& taker_;
    std::string buffer_;
};

}  // namespace ticketgate
