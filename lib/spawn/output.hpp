// What a worker writes to its standard output and error, line by line into the log. Control thread.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "spawn/written.hpp"

namespace ticketgate::spawn {

class Output : public std::enable_shared_from_this<Output> {
 public:
    /// `request_id`: of the request that has written it; empty: none has.
    using Tell = std::function<void(std::string_view line, std::string_view request_id)>;
    /// Reads the pipe until its last writer has closed it.
    static std::shared_ptr<Output> read(boost::asio::io_context& io, Descriptor pipe, Tell tell);
    ~Output();
    /// For the loop that holds the worker.
    const std::shared_ptr<Written>& written() const { return written_; }
    /// The worker has ended: tells what it has written. True: a process that it started may still
    /// write, and is read on until it ends.
    bool outlives();
    bool is_open() const { return pipe_.is_open(); }
    /// Tells the rest, and reads no more. Who still writes gets SIGPIPE.
    void close();

 private:
    Output(boost::asio::io_context& io, Descriptor pipe, Tell tell);
    void listen(boost::asio::io_context& io);
    void read_on();
    bool read_some();
    bool read_rest();
    void take_or_drop(std::string_view bytes) noexcept;
    void take(std::string_view bytes);
    void add(std::string_view bytes);
    void tell_line();
    void end_line() noexcept;
    void end() noexcept;
    void tell_if_over();
    boost::asio::posix::stream_descriptor pipe_;
    Tell tell_;  // until the end
    std::shared_ptr<Written> written_;
    std::array<char, 4096> buffer_;
    std::string line_, id_;  // that begins, and of the request that writes it
    std::string next_id_;
};

}  // namespace ticketgate::spawn
