// A blocking socket with deadlines, and what both ends of an HTTP connection read from it: lines,
// counted bytes, the rest. With secure() the bytes go through TLS. Shares no code with the product,
// so that a fault of its parser cannot hide in the test.
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

    /// `receive_buffer` bounds what the kernel takes for us, for readers that are slow on purpose.
    static Socket connect(const net::Endpoint& to, int receive_buffer = 0);

    bool open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }

    /// All of it, or why not.
    Status send(std::string_view bytes);
    /// What the kernel takes now; 0 when it takes nothing.
    std::size_t send_some(std::string_view bytes);
    /// Is there anything, be it the end, now or within the limit?
    bool readable(Clock::duration limit);
    /// Appends what is there; waits for it at most until `end`.
    Status receive(std::string& into, Clock::time_point end);

    /// From here on TLS: the handshake, to its end. False: it failed, and why is in tls_fault().
    bool secure(const TlsEnd& end, Clock::duration limit = patience);
    SSL* tls() const { return tls_.get(); }
    const std::string& tls_fault() const { return tls_fault_; }
    /// The other side has said close_notify.
    bool told_end() const;

    void finish_writing();  ///< FIN; with TLS, close_notify before it
    void say_end();         ///< close_notify only
    void cut();             ///< FIN only, whatever TLS wants
    void reset();           ///< RST
    void close();           ///< with close_notify, if TLS stands
    void drop();            ///< without
    /// Both directions end for whoever reads or writes on another thread; the descriptor stays.
    void shut_down();

 private:
    bool wait(short events, Clock::time_point end);
    Status tls_wait(int result, Clock::time_point end);
    int descriptor_ = -1;
    std::shared_ptr<SSL> tls_;
    std::string tls_fault_;
};

/// Bytes of a socket, taken in the pieces HTTP is made of.
class Reader {
 public:
    explicit Reader(Socket& socket) : socket_(&socket) {}

    /// Up to and with `mark`; empty when it does not come: status() says why.
    std::string through(std::string_view mark, Clock::duration limit = patience);
    /// Exactly `n` bytes appended; fewer when they do not come.
    bool exactly(std::size_t n, std::string& into, Clock::duration limit = patience);
    /// Everything up to the peer's end; that it does not come is a failure of the test.
    std::string rest(Clock::duration limit = patience);
    /// At least one byte more, at most what is here.
    bool some(std::string& into, Clock::duration limit = patience);
    /// The next `n` bytes, or what came of them before the end.
    std::string take(std::size_t n);
    /// What is here, at least a byte; empty: the end.
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
