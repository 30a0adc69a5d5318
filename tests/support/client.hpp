// A client that the test controls byte by byte: blocking, with deadlines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "support/message.hpp"

namespace ticketgate::test {

class Client {
 public:
    explicit Client(const net::Endpoint& to, int receive_buffer = 0)
        : socket_(std::make_unique<Socket>(Socket::connect(to, receive_buffer))),
          reader_(*socket_) {}
    /// Connects with TLS; socket().tls_fault() has the reason of a failed handshake.
    Client(const net::Endpoint& to, const TlsEnd& tls, int receive_buffer = 0)
        : Client(to, receive_buffer) {
        (void)socket_->secure(tls);
    }

    Socket::Status send(std::string_view bytes) { return socket_->send(bytes); }
    std::size_t send_some(std::string_view bytes) { return socket_->send_some(bytes); }
    /// Sends `METHOD target HTTP/1.1` with Host, the given lines (each with its CRLF), and the body
    /// with its length.
    void request(std::string_view method, std::string_view target, std::string_view lines = {},
                 std::string_view body = {});
    void get(std::string_view target, std::string_view lines = {}) {
        request("GET", target, lines);
    }

    Response read(Clock::duration limit = patience) { return read_response(reader_, false, limit); }
    Response read_to_head() { return read_response(reader_, true); }
    Reader& reader() { return reader_; }
    Socket& socket() { return *socket_; }

    /// Tells whether bytes or the end arrive; reads nothing.
    bool hears(Clock::duration limit) { return socket_->readable(limit); }
    /// Tells whether the connection ends without another byte.
    bool ends(Clock::duration limit = patience);
    void half_close() { socket_->finish_writing(); }
    void reset() { socket_->reset(); }
    void close() { socket_->close(); }

 private:
    std::unique_ptr<Socket>
        socket_;  // on the heap: the reader keeps a reference when the Client is moved
    Reader reader_;
};

}  // namespace ticketgate::test
