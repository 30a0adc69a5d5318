// A blocking socket with deadlines, and a reader for both ends of an HTTP connection: lines,
// counted bytes, the rest. With secure() the bytes go through TLS. Shares no code with the product,
// so that a fault in the product's parser cannot hide in the test.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/endpoint.hpp"
#include "support/patience.hpp"
#include "support/tls.hpp"

namespace ticketgate::test {

class Socket {
 public:
    enum class Status { ok, ended, reset, timeout };

    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    ~Socket() { close(); }
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;

    /// `receive_buffer` bounds the kernel's buffer, for readers that are slow on purpose.
    static Socket connect(const net::Endpoint& to, int receive_buffer = 0);

    bool open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }

    /// Sends all bytes; returns the reason if it cannot, as where the peer takes none for a time.
    Status send(std::string_view bytes);
    /// Sends the bytes that the kernel takes now; returns their number, perhaps 0.
    std::size_t send_some(std::string_view bytes);
    /// Tells whether bytes or the end arrive within the limit.
    bool readable(Clock::duration limit);
    /// Appends the bytes that are there; waits for the first one until `end`.
    Status receive(std::string& into, Clock::time_point end);

    /// Switches to TLS and completes the handshake. Returns false with the reason in tls_fault().
    bool secure(const TlsEnd& end, Clock::duration limit = patience);
    SSL* tls() const { return tls_.get(); }
    const std::string& tls_fault() const { return tls_fault_; }
    /// The peer has sent close_notify.
    bool told_end() const;

    void finish_writing();  ///< FIN; with TLS, close_notify before it
    void say_end();         ///< close_notify only
    void cut();             ///< FIN only, whatever TLS wants
    void reset();           ///< RST
    void close();           ///< with close_notify, if TLS stands
    void drop();            ///< without
    /// Ends both directions, also for reads and writes on other threads; keeps the descriptor open.
    void shut_down();

 private:
    bool wait(short events, Clock::time_point end);
    Status tls_wait(int result, Clock::time_point end);
    int descriptor_ = -1;
    std::shared_ptr<SSL> tls_;
    std::string tls_fault_;
};

/// Reads the parts of HTTP messages from a socket.
class Reader {
 public:
    explicit Reader(Socket& socket) : socket_(&socket) {}

    /// Reads up to and including `mark`; empty if it does not arrive, with the reason in status().
    std::string through(std::string_view mark, Clock::duration limit = patience);
    /// Appends exactly `n` bytes; fewer if none arrives for `limit`.
    bool exactly(std::size_t n, std::string& into, Clock::duration limit = patience);
    /// Reads everything up to the peer's end; fails the test if nothing comes for `limit`.
    std::string rest(Clock::duration limit = patience);
    /// Appends at least one more byte, at most those that are here.
    bool some(std::string& into, Clock::duration limit = patience);
    /// Reads the next `n` bytes; fewer at the end.
    std::string take(std::size_t n);
    /// Reads at least one byte; empty at the end.
    std::string take_some();

    const std::string& unread() const { return unread_; }
    Socket::Status status() const { return status_; }

 private:
    bool more(Clock::time_point end);
    Socket* socket_;
    std::string unread_;
    Socket::Status status_ = Socket::Status::ok;
};

}  // namespace ticketgate::test
