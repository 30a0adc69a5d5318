#include "spawn/output.hpp"

#include <boost/asio/post.hpp>
#include <cerrno>
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
    : pipe_(io), tell_(std::move(tell)) {
    pipe_.assign(pipe.get());
    (void)pipe.release();  // not before: it is closed if there is no memory
}

Output::~Output() {
    if (written_) written_->close();
}

std::shared_ptr<Output> Output::read(boost::asio::io_context& io, Descriptor pipe, Tell tell) {
    std::shared_ptr<Output> output(new Output(io, std::move(pipe), std::move(tell)));
    output->listen(io);
    output->read_on();
    return output;
}

void Output::listen(boost::asio::io_context& io) {
    pipe_.native_non_blocking(true);
    written_ = std::make_shared<Written>(pipe_.native_handle(), [&io, of = weak_from_this()] {
        boost::asio::post(io, [of] {
            if (const auto self = of.lock()) self->take_or_drop({});
        });
    });
}

void Output::read_on() {
    pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const error_code& error) {
                         if (error) return;
                         if (self->read_some()) return self->read_on();
                         self->end_line();
                         self->end();
                     });
}

// False: nobody writes to it any more.
bool Output::read_some() {
    const auto size = written_->read(buffer_);
    if (size > 0) take_or_drop({buffer_.data(), static_cast<std::size_t>(size)});
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

// A line ends where its request does.
void Output::take(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto part = written_->take(bytes.size(), next_id_);
        if (part.begins) tell_line();
        id_.swap(next_id_);
        add(bytes.substr(0, part.size));
        bytes.remove_prefix(part.size);
    }
    tell_if_over();
}

void Output::tell_if_over() {
    if (!written_->holds_line(!line_.empty())) tell_line();
}

void Output::add(std::string_view bytes) {
    for (const char c : bytes) {
        if (c != '\n') line_ += c;
        if (c == '\n' || line_.size() >= longest_line) tell_line();
    }
}

void Output::tell_line() {
    if (!line_.empty() && tell_) tell_(line_, id_);
    line_.clear();
}

// Without memory lines are lost, but the pipe is read on: a worker would wait in a write for ever.
void Output::take_or_drop(std::string_view bytes) noexcept try {
    take(bytes);
} catch (const std::bad_alloc&) {
    line_.clear();
}

void Output::end_line() noexcept try { tell_line(); } catch (const std::bad_alloc&) {
    line_.clear();
}

// False: nobody writes to it any more.
bool Output::read_rest() {
    for (int i = 0; i < most_reads_at_the_end; ++i) {
        const auto size = written_->read(buffer_);
        if (size <= 0) return size < 0 && errno == EAGAIN;
        take_or_drop({buffer_.data(), static_cast<std::size_t>(size)});
    }
    return true;
}

bool Output::outlives() {
    if (!pipe_.is_open()) return false;
    const bool held = read_rest();
    written_->ends();
    end_line();
    if (!held) end();
    return held;
}

void Output::close() {
    if (!pipe_.is_open()) return;
    (void)read_rest();
    end_line();
    end();
}

void Output::end() noexcept {
    written_->close();
    error_code ignored;
    pipe_.close(ignored);
    tell_ = nullptr;
}

}  // namespace ticketgate::spawn
