// Finished log lines on their way out, without ever holding up an event loop.
// LogFile: one open file, shared by all threads (its own mutex). LineSink: the buffer of one I/O
// thread above it; not thread-safe but for `dropped`.
// Invariants: a line is written whole before another one begins, whoever wrote it; lines of one
// sink keep their order; what a slow reader does not take is kept up to a bound, then dropped by
// whole lines and counted. The process ignores SIGPIPE (app does that); sends to sockets ask for no
// signal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace ticketgate {

class LogFile {
 public:
    explicit LogFile(int fd);            ///< borrowed, such as stdout; reopen does nothing
    explicit LogFile(std::string path);  ///< opened for appending; see `opened`
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Why the path could not be opened, if so.
    [[nodiscard]] error_code opened() const { return opened_; }

    /// After a log rotation (USR1): the path anew. On failure the old file stays.
    [[nodiscard]] error_code reopen();

    /// How many of these bytes (whole lines) are done with, and how many lines of them were lost
    /// because the file refuses them for good. The rest, if any, should be offered again later.
    struct Taken {
        std::size_t bytes = 0;
        std::size_t lost_lines = 0;
    };
    Taken write(std::string_view lines);

    /// Is the rest of a cut line still to come? An empty `write` goes on with it.
    bool unfinished();

    /// Waits until the reader takes more or the time is up; for the end of the process only.
    void wait_writable(milliseconds limit);

 private:
    enum class Kind : std::uint8_t { direct, pipe, socket, terminal };
    enum class Ready : std::uint8_t { yes, later, gone };

    static Kind kind_of(int fd);
    Ready ready();
    long put(std::string_view bytes);
    Ready finish_line();
    std::size_t piece(std::string_view lines) const;

    std::mutex mutex_;  // guards all below: a line is whole before the next begins
    std::string path_;  // empty: borrowed
    int fd_ = -1;
    Kind kind_ = Kind::direct;
    std::string unfinished_;  // the rest of a line that was cut; goes out before anything else
    std::size_t lost_ = 0;    // lines cut for good, not yet told to a writer
    error_code opened_;
};

class LineSink {
 public:
    static constexpr std::size_t default_max_buffer =
        1 << 20;  // about 3000 lines of a stalled reader

    explicit LineSink(LogFile& file, std::size_t max_buffer = default_max_buffer);
    ~LineSink() { flush(); }
    LineSink(const LineSink&) = delete;
    LineSink& operator=(const LineSink&) = delete;

    /// A whole line, newline included. Writes once a batch is full; else `flush` does, from the
    /// loop's tick.
    void append(std::string_view line);
    void flush();
    /// The last flush of a stopping process: gives the reader up to `limit`.
    void finish(milliseconds limit);

    std::size_t buffered() const { return buffer_.size() - done_; }
    /// Lines lost; any thread.
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
    void drop(std::size_t lines);

    LogFile& file_;
    std::size_t max_buffer_;
    std::string buffer_;
    std::size_t done_ = 0;  // bytes at the front that are already written
    std::size_t flush_at_;  // a stalled reader is asked once a batch, not once a line
    std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace ticketgate
