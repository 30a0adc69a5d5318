#include "log/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <iterator>
#include <mutex>
#include <utility>

#include "log/escape.hpp"
#include "log/line_sink.hpp"
#include "log/timestamp.hpp"

namespace ticketgate {

// spdlog's own stderr sink would block on a reader that does not read, and so would every request.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
    FileSink(std::shared_ptr<LogFile> file, std::size_t max_buffer, LogWriter::Lost lost)
        : writer_(std::move(file), max_buffer, std::move(lost)) {}
    LogWriter& writer() { return writer_; }

 private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        writer_.offer({line.data(), line.size()});
    }
    void flush_() override {}

    LogWriter writer_;
};

namespace {

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::debug:
            return spdlog::level::debug;
        case Level::info:
            return spdlog::level::info;
        case Level::warn:
            return spdlog::level::warn;
        case Level::error:
            return spdlog::level::err;
        case Level::off:
            return spdlog::level::off;
    }
    return spdlog::level::off;
}

Level from_spdlog(spdlog::level::level_enum level) {
    for (const Level ours : {Level::debug, Level::info, Level::warn, Level::error})
        if (to_spdlog(ours) == level) return ours;
    return Level::off;
}

}  // namespace

std::string_view name(Level level) {
    switch (level) {
        case Level::debug:
            return "debug";
        case Level::info:
            return "info";
        case Level::warn:
            return "warn";
        case Level::error:
            return "error";
        case Level::off:
            return "off";
    }
    return "off";
}

void Field::append_to(std::string& line) const {
    line.push_back(' ');
    line.append(key_);
    line.push_back('=');
    if (const auto* text = std::get_if<std::string_view>(&value_)) return append_word(line, *text);
    std::visit([&](const auto& value) { fmt::format_to(std::back_inserter(line), "{}", value); },
               value_);
}

Log::Log(Level least, std::size_t max_buffer, const std::vector<std::string>& first)
    : Log(least, std::make_shared<LogFile>(STDERR_FILENO), max_buffer, first) {}

Log::Log(Level least, std::shared_ptr<LogFile> file, std::size_t max_buffer,
         const std::vector<std::string>& first)
    : sink_(std::make_shared<FileSink>(
          std::move(file), max_buffer,
          [this](const LogWriter::Loss& loss) { return tell_lost(loss); })),
      logger_(std::make_unique<spdlog::logger>("ticketgate", sink_)) {
    // The time is ours: that of spdlog counts nanoseconds, which end in the year 2262.
    logger_->set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc, "\n"));
    // Its own handler writes to stderr, and would wait for the reader.
    logger_->set_error_handler([this](const std::string&) { sink_->writer().lose(1); });
    level(least);
    for (const auto& line : first) sink_->writer().offer(line + "\n");
}

// Ends the writer's thread while the members that it uses still exist.
Log::~Log() {
    sink_->writer().finish(1000ms);
}

// Writes to the log that lost the lines, so it must wait until that log takes lines again.
bool Log::tell_lost(const LogWriter::Loss& loss) {
    if (loss.fails_now || loss.waits_now) return false;
    warn("this log lost lines", {{"lines", loss.lines}, {"why", loss.why()}});
    return true;
}

bool Log::drain(milliseconds limit) const {
    return sink_->writer().drain(limit);
}

void Log::level(Level least) {
    logger_->set_level(to_spdlog(least));
}

Level Log::level() const {
    return from_spdlog(logger_->level());
}

bool Log::enabled(Level of) const {
    return of != Level::off && logger_->should_log(to_spdlog(of));
}

std::uint64_t Log::dropped() const {
    return sink_->writer().dropped();
}

void Log::write(Level of, std::string_view message, Fields fields) noexcept {
    if (!enabled(of)) return;
    try {
        write_line(of, message, fields);
    } catch (const std::exception&) {  // there is no memory
        sink_->writer().lose(1);
    }
}

void Log::write_line(Level of, std::string_view message, Fields fields) {
    std::string line;
    append_rfc3339(line, wall_now());
    line.push_back(' ');
    line.append(name(of));
    line.push_back(' ');
    append_sentence(line, message);
    for (const Field& field : fields) field.append_to(line);
    logger_->log(to_spdlog(of), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace ticketgate
