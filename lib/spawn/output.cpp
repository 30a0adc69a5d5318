#include "spawn/output.hpp"

#include <fcntl.h>

#include <new>

#include "base/error.hpp"

namespace ticketgate::spawn {
namespace {

// A longer line is told in parts.
constexpr std::size_t longest_line = 4 << 10;

// Of what is left when the worker has ended: more is dropped.
constexpr int most_reads_at_the_end = 64;

}  // namespace

Output::Output(boost::asio::io_context& io, Descriptor pipe, Tell tell)
    : pipe_(io, pipe.release()), tell_(std::move(tell)) {}

std::shared_ptr<Output> Output::read(boost::asio::io_context& io, Descriptor pipe, Tell tell) {
    std::shared_ptr<Output> output(new Output(io, std::move(pipe), std::move(tell)));
    output->read_on();
    return output;
}

void Output::read_on() {
    pipe_.async_read_some(boost::asio::buffer(buffer_),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                              // What it waited for may have come before close().
                              if (error || !self->pipe_.is_open()) return;
                              self->take_or_drop({self->buffer_.data(), size});
                              self->read_on();
                          });
}

void Output::take(std::string_view bytes) {
    for (const char c : bytes) {
        if (c != '\n') line_ += c;
        if ((c == '\n' && !line_.empty()) || line_.size() >= longest_line) {
            tell_(line_);
            line_.clear();
        }
    }
}

// Without memory lines are lost, but the pipe is read on: a worker would wait in a write for ever.
void Output::take_or_drop(std::string_view bytes) noexcept try {
    take(bytes);
} catch (const std::bad_alloc&) {
    line_.clear();
}

// A child of the worker may hold the pipe open.
void Output::close() {
    if (!pipe_.is_open()) return;
    error_code ignored;
    pipe_.non_blocking(true, ignored);
    for (int i = 0; i < most_reads_at_the_end; ++i) {
        const auto size = pipe_.read_some(boost::asio::buffer(buffer_), ignored);
        if (ignored || size == 0) break;
        take_or_drop({buffer_.data(), size});
    }
    if (!line_.empty()) take_or_drop("\n");
    pipe_.close(ignored);
}

}  // namespace ticketgate::spawn
