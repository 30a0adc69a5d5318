#include "log/line_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

namespace ticketgate {
namespace {

// A pipe that polls writable takes PIPE_BUF bytes without blocking, and takes them whole (pipe(7)).
constexpr std::size_t pipe_piece = 4096;
constexpr std::size_t batch = 16 << 10;

error_code last_error() {
    return {errno, boost::system::system_category()};
}

// O_NONBLOCK is for a named pipe: without it, open waits for a reader.
int open_for_append(const std::string& path) {
    return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                0640);
}

}  // namespace

std::size_t count_lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

LogFile::LogFile(int fd) : fd_(fd), kind_(kind_of(fd)) {}

LogFile::LogFile(std::string path) : path_(std::move(path)), fd_(open_for_append(path_)) {
    if (fd_ < 0)
        opened_ = last_error();
    else
        kind_ = kind_of(fd_);
}

LogFile::~LogFile() {
    if (!path_.empty() && fd_ >= 0) close(fd_);
}

error_code LogFile::reopen() {
    if (path_.empty()) return {};
    const int fd = open_for_append(path_);
    if (fd < 0) return last_error();
    const std::lock_guard lock(mutex_);
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
    kind_ = kind_of(fd);
    unfinished_.clear();  // the line began in the old file
    return {};
}

LogFile::Kind LogFile::kind_of(int fd) {
    struct stat about {};
    if (fstat(fd, &about) != 0) return Kind::direct;
    if (S_ISFIFO(about.st_mode)) return Kind::pipe;
    if (S_ISSOCK(about.st_mode)) return Kind::socket;
    return S_ISCHR(about.st_mode) && isatty(fd) ? Kind::terminal : Kind::direct;
}

LogFile::Ready LogFile::ready() {
    refused_ = fd_ < 0 ? EBADF : EPIPE;  // the error of Ready::gone
    if (fd_ < 0) return Ready::gone;
    if (kind_ == Kind::direct) return Ready::yes;
    pollfd wanted{fd_, POLLOUT, 0};
    if (poll(&wanted, 1, 0) <= 0) return Ready::later;
    // A pipe without readers is writable too, but the write would be EPIPE.
    if ((wanted.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return Ready::gone;
    return (wanted.revents & POLLOUT) != 0 ? Ready::yes : Ready::later;
}

// Bytes written, 0 for "later", -1 for "never".
long LogFile::put(std::string_view bytes) {
    const auto done = kind_ == Kind::socket
                          ? send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                          : ::write(fd_, bytes.data(), bytes.size());
    if (done >= 0) return done;
    refused_ = errno;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

// Returns the size of the next write: as many whole lines as the file takes at once, or the first
// part of a longer line.
std::size_t LogFile::piece(std::string_view lines) const {
    if (kind_ == Kind::direct || lines.size() <= pipe_piece) return lines.size();
    const auto newline = lines.substr(0, pipe_piece).rfind('\n');
    return newline == std::string_view::npos ? pipe_piece : newline + 1;
}

// Writes the rest of a line that was begun, before any other line.
LogFile::Ready LogFile::finish_line() {
    while (!unfinished_.empty()) {
        if (const auto state = ready(); state != Ready::yes) return state;
        const auto done = put(std::string_view(unfinished_).substr(0, pipe_piece));
        if (done < 0) {
            if (unfinished_ != "\n") ++lost_;
            unfinished_ = "\n";  // ends the half line, so that the next line does not join it
            return Ready::gone;
        }
        if (done == 0) return Ready::later;
        unfinished_.erase(0, static_cast<std::size_t>(done));
    }
    return Ready::yes;
}

// Without memory for the rest of a line, that is lost, and the half line ends.
bool LogFile::keep(std::string_view rest) {
    try {
        unfinished_ = rest;
        return true;
    } catch (const std::bad_alloc&) {
        unfinished_ = "\n";
        return false;
    }
}

LogFile::Taken LogFile::write(std::string_view lines) {
    const std::lock_guard lock(mutex_);
    Taken taken;
    if (lines.empty()) (void)finish_line();  // no line of the caller depends on the result
    while (taken.bytes < lines.size()) {
        const auto rest = lines.substr(taken.bytes);
        auto state = finish_line();
        if (state == Ready::yes) state = ready();
        if (state == Ready::later) return taken;
        const auto done = state == Ready::yes ? put(rest.substr(0, piece(rest))) : -1;
        if (done < 0) return {lines.size(), count_lines(rest) + std::exchange(lost_, 0), refused_};
        if (done == 0) return taken;
        taken.bytes += static_cast<std::size_t>(done);
        if (rest[static_cast<std::size_t>(done) - 1] == '\n') continue;
        // The write ended within a line. This file must finish it, or another thread's line would
        // split it.
        const auto end = std::min(lines.find('\n', taken.bytes), lines.size() - 1) + 1;
        if (!keep(lines.substr(taken.bytes, end - taken.bytes))) {
            ++taken.lost_lines;
            taken.error = ENOMEM;
        }
        taken.bytes = end;
        if (finish_line() == Ready::later) return taken;
    }
    return taken;
}

bool LogFile::unfinished() {
    const std::lock_guard lock(mutex_);
    return !unfinished_.empty() && unfinished_ != "\n";
}

void LogFile::wait_writable(milliseconds limit) {
    pollfd wanted{-1, POLLOUT, 0};
    {
        const std::lock_guard lock(mutex_);
        wanted.fd = fd_;
    }
    (void)poll(&wanted, 1, static_cast<int>(std::clamp<std::int64_t>(limit.count(), 0, 60'000)));
}

void LineSink::append(std::string_view line) noexcept {
    try {
        buffer_.append(line);
    } catch (const std::bad_alloc&) {
        lose(1);
    }
    if (buffer_.size() >= batch) flush();
}

void LineSink::flush() noexcept {
    if (!buffer_.empty()) taker_.offer(buffer_);
    buffer_.clear();
}

}  // namespace ticketgate
