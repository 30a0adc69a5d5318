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

namespace ticketgate::spawn {

class Output : public std::enable_shared_from_this<Output> {
 public:
    using Tell = std::function<void(std::string_view line)>;
    /// Reads the pipe until its last writer has closed it.
    static std::shared_ptr<Output> read(boost::asio::io_context& io, Descriptor pipe, Tell tell);
    /// Tells the rest, and reads no more.
    void close();

 private:
    Output(boost::asio::io_context& io, Descriptor pipe, Tell tell);
    void read_on();
    void take_or_drop(std::string_view bytes) noexcept;
    void take(std::string_view bytes);
    void drain();
    boost::asio::posix::stream_descriptor pipe_;
    const Tell tell_;
    std::array<char, 4096> buffer_;
    std::string line_;
};

}  // namespace ticketgate::spawn
