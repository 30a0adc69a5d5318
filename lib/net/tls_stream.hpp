// TLS over another Stream, in either role. The handshake happens inside read_some(), write_some()
// and connected(). The flags mean what they mean for a socket, one layer up: readable() is about
// decrypted bytes (TLS's own messages do not count), fin() is a close_notify or a FIN. Made by
// TlsServer and TlsClient; used like any other stream.
// Without a close_notify, a client's FIN counts as its end, as with plain HTTP (request framing
// reveals a cut), and a server's FIN is a failure, since a response may end with it (RFC 8446 6.1).
// While nobody reads, a stream takes at most TlsWire::most_of_an_alert bytes, enough to notice a
// close_notify; behind bytes that are unread, only a FIN is noticed.
#pragma once

#include <openssl/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "net/stream.hpp"
#include "net/tls_wire.hpp"

namespace ticketgate::net {

/// The error of a read when a client spoke HTTP without TLS. From then on the stream is plain, so
/// that the client can get an answer. That read gives the few bytes that the handshake took.
inline constexpr int spoke_plainly = EPROTOTYPE;

struct FreeSsl {
    void operator()(SSL* ssl) const noexcept;
};
using SslPointer = std::unique_ptr<SSL, FreeSsl>;

/// A connection under these rules. Throws bad_alloc.
SslPointer new_ssl(SSL_CTX& rules);

class TlsStream final : public Stream, private Observer {
 public:
    enum class Role { server, client };

    /// `ssl` has its role set. `keeps` owns what `ssl` refers to. Throws bad_alloc.
    TlsStream(std::unique_ptr<Stream> below, SslPointer ssl, Role role,
              std::shared_ptr<const void> keeps);
    /// Sends close_notify if the connection is in order.
    ~TlsStream() override;

    IoResult connected() override;
    IoResult read_some(std::span<char> into) override;
    IoResult write_some(std::span<const iovec> pieces) override;
    bool stale() override;
    bool over() const override {
        return failure_ == Failure::none || failure_ == Failure::over || !established_;
    }
    bool given_up() const override { return wire_.below().given_up(); }
    int stalled() const override { return wire_.below().stalled(); }
    void insist() override { wire_.below().insist(); }
    void acknowledge() override { wire_.below().acknowledge(); }
    void look() override;
    void finish_writing() override;
    void abort_on_close() override;
    std::uint64_t backlog() const override { return wire_.below().backlog() + wire_.unsent(); }
    std::size_t held() const override { return early_.size() + wire_.unread(); }
    void drop_held() override;
    void detach() override { wire_.below().detach(); }
    void attach(Loop& loop) override { wire_.below().attach(loop); }
    const Secured* secured() const override { return established_ ? &secured_ : nullptr; }
    /// While the handshake of a client goes on, says that it has not ended.
    std::string fault() const override;
    bool untrusted() const override { return untrusted_; }

 private:
    void notify() override;
    IoResult handshake();
    void establish();
    IoResult halted(int ssl_error);
    IoResult fail(int ssl_error);
    IoResult read_behind_failure(std::span<char> into);
    IoResult turn_plain();
    IoResult read_dropped(std::span<char> into);
    std::size_t read_early(std::span<char> into);
    void take_pending() noexcept;
    void look_inside();
    void take_flags();
    bool failed() const { return failure_ != Failure::none; }
    bool flush();
    void say_end();
    std::size_t encrypt(std::span<const iovec> pieces, std::size_t skip);
    void note_client_certificate();

    TlsWire wire_;
    const std::shared_ptr<const void> keeps_;
    const SslPointer owned_;
    SSL* const ssl_;
    const Role role_;
    Secured secured_;
    std::string fault_;
    bool untrusted_ = false;
    std::string early_;  // decrypted before the reader wanted it; small
    /// Bytes of the next write whose records are gathered but not all sent: they are reported as
    /// taken when they are sent.
    std::size_t ahead_ = 0;
    std::uint64_t flowing_ = 0;  // bytes that the peer took without a pause
    int error_ = 0;              // with a failure_
    /// A failure of TLS: whether a read has reported it, and whether the connection is open.
    enum class Failure : std::uint8_t {
        none,
        found,  ///< the next read reports it
        told,   ///< a read has reported it; the connection may still be open
        over    ///< the connection below has ended too
    };
    Failure failure_ = Failure::none;
    bool established_ = false, plain_ = false;
    bool dropped_ = false;  // drop_held(): no further record is read
    bool finishing_ = false, finished_ = false, abort_ = false;
};

}  // namespace ticketgate::net
