// Finished log lines on their way out, without ever holding up an event loop.
// LogFile: one open file, shared by all threads (its own mutex). LineSink: the batch of one I/O
// thread; not thread-safe. Between the two stands a LogWriter (log_writer.hpp).
// Invariants: a line is written whole before another one begins, whoever wrote it; lines of one
// sink keep their order. The process ignores SIGPIPE and SIGXFSZ (app does that); sends to sockets
// ask for no signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace ticketgate {

/// Takes whole lines and never waits; what it has no room or no memory for is dropped.
class LineTaker {
 public:
    virtual ~LineTaker() = default;
    virtual void offer(std::string_view lines) noexcept = 0;
    /// So many lines were lost before they came here.
    virtual void lose(std::uint64_t lines) noexcept = 0;
};

/// To write may wait after all: a pipe that has room may be full when the write comes, if others
/// write to it, and so may a terminal. So loops write through a LogWriter.
class LogFile final : public LineTaker {
 public:
    explicit LogFile(int fd);            ///< borrowed, such as stdout; reopen does nothing
    explicit LogFile(std::string path);  ///< opened for appending; see `opened`
    ~LogFile() override;
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Why the path could not be opened, if so.
    [[nodiscard]] error_code opened() const { return opened_; }

    /// After a log rotation (USR1): the path anew. On failure the old file stays.
    [[nodiscard]] error_code reopen();

    /// How many of these bytes (whole lines) are done with, and how many lines of them were lost
    /// because the file refuses them for good, with errno. The rest, if any, should be offered
    /// again later.
    struct Taken {
        std::size_t bytes = 0;
        std::size_t lost_lines = 0;
        int error = 0;
    };
    Taken write(std::string_view lines);
    /// Directly, for who has no loop to hold up.
    void offer(std::string_view lines) noexcept override { (void)write(lines); }
    void lose(std::uint64_t) noexcept override {}

    /// Is the rest of a cut line still to come? An empty `write` goes on with it.
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
    std::size_t piece(std::string_view lines) const;

    std::mutex mutex_;  // guards all below: a line is whole before the next begins
    std::string path_;  // empty: borrowed
    int fd_ = -1;
    Kind kind_ = Kind::direct;
    std::string unfinished_;  // the rest of a line that was cut; goes out before anything else
    std::size_t lost_ = 0;    // lines cut for good, not yet told to a writer
    int refused_ = 0;         // errno of the last write that failed, or what stands for it
    error_code opened_;
};

class LineSink {
 public:
    explicit LineSink(LineTaker& taker) : taker_(taker) {}
    ~LineSink() { flush(); }
    LineSink(const LineSink&) = delete;
    LineSink& operator=(const LineSink&) = delete;

    /// A whole line, newline included. Hands on a full batch; else `flush` does, from the loop's
    /// tick.
    void append(std::string_view line) noexcept;
    void lose(std::uint64_t lines) noexcept { taker_.lose(lines); }
    void flush() noexcept;
    std::size_t buffered() const { return buffer_.size(); }

 private:
    LineTaker& taker_;
    std::string buffer_;
};

}  // namespace ticketgate
