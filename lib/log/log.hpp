// The operational log: what happened to the process, for people. Lines on stderr:
//   2026-11-20T08:15:30.123456Z warn the backend refused the connection queue=cart request_id=…
// Owned by App, shared by every thread. Never waits for a slow reader: lines go to a LogWriter,
// which drops lines past its limit and counts them. spdlog is an implementation detail.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "ids/id.hpp"
#include "log/log_writer.hpp"

namespace spdlog {
class logger;
}

namespace ticketgate {

class FileSink;
class LogFile;

enum class Level : std::uint8_t { debug, info, warn, error, off };

/// A key and its value, alive for the length of the call. Formatted only if the line is written.
class Field {
 public:
    Field(std::string_view key, std::string_view text) : key_(key), value_(text) {}
    Field(std::string_view key, const char* text) : key_(key), value_(std::string_view(text)) {}
    Field(std::string_view key, const std::string& text)
        : key_(key), value_(std::string_view(text)) {}
    Field(std::string_view key, const ids::Id& id) : key_(key), value_(id.view()) {}
    Field(std::string_view key, bool flag)
        : key_(key), value_(std::string_view(flag ? "true" : "false")) {}
    Field(std::string_view key, double number) : key_(key), value_(number) {}
    Field(std::string_view key, std::signed_integral auto number)
        : key_(key), value_(static_cast<std::int64_t>(number)) {}
    Field(std::string_view key, std::unsigned_integral auto number)
        : key_(key), value_(static_cast<std::uint64_t>(number)) {}

    void append_to(std::string& line) const;

 private:
    std::string_view key_;
    std::variant<std::string_view, std::int64_t, std::uint64_t, double> value_;
};

class Log {
 public:
    using Fields = std::initializer_list<Field>;

    static constexpr std::size_t usual_buffer = 1 << 20;

    /// To stderr. `max_buffer`: bytes of lines that wait for a slow reader. `first`: lines that are
    /// written before all others, as they are, whatever the level.
    explicit Log(Level least = Level::info, std::size_t max_buffer = usual_buffer,
                 const std::vector<std::string>& first = {});
    Log(Level least, std::shared_ptr<LogFile> file, std::size_t max_buffer = usual_buffer,
        const std::vector<std::string>& first = {});
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    // A line for which there is no memory is lost, and counted.
    void debug(std::string_view message, Fields fields = {}) noexcept {
        write(Level::debug, message, fields);
    }
    void info(std::string_view message, Fields fields = {}) noexcept {
        write(Level::info, message, fields);
    }
    void warn(std::string_view message, Fields fields = {}) noexcept {
        write(Level::warn, message, fields);
    }
    void error(std::string_view message, Fields fields = {}) noexcept {
        write(Level::error, message, fields);
    }

    void level(Level least);
    Level level() const;
    bool enabled(Level of) const;

    /// Lines lost to a reader that was slow or gone.
    std::uint64_t dropped() const;
    /// Waits until every line is written; false: `limit` passed first.
    bool drain(milliseconds limit) const;

 private:
    bool tell_lost(const LogWriter::Loss& loss);
    void write(Level of, std::string_view message, Fields fields) noexcept;
    void write_line(Level of, std::string_view message, Fields fields);

    std::shared_ptr<FileSink> sink_;  // shared with logger_
    std::unique_ptr<spdlog::logger> logger_;
};

/// `debug`, `info`, `warn`, `error`, `off`.
std::string_view name(Level level);

}  // namespace ticketgate
