#include "net/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "net/certificate.hpp"
#include "net/pieces.hpp"
#include "net/tls_record.hpp"
#include "net/tls_rules.hpp"

namespace ticketgate::net {
namespace {

// The most plain bytes of one send, whose records are gathered as long as the peer does not take
// them: that is outside of every budget, so a peer must earn the larger one.
constexpr std::size_t window = 4 * tls_record_size, first_window = tls_record_size;
// Bytes that a peer takes without a pause before it gets the larger one.
constexpr std::uint64_t earns_window = 256 << 10;

std::string reason_of(unsigned long code) {
    const char* reason = ERR_reason_error_string(code);
    return reason == nullptr ? "TLS error " + std::to_string(code) : reason;
}

void free_all(STACK_OF(X509) * certificates) {
    while (X509* const one = sk_X509_pop(certificates)) X509_free(one);
}

}  // namespace

void FreeSsl::operator()(SSL* ssl) const noexcept {
    SSL_free(ssl);
}

SslPointer new_ssl(SSL_CTX& rules) {
    SslPointer ssl(SSL_new(&rules));
    if (ssl == nullptr) throw std::bad_alloc();
    return ssl;
}

TlsStream::TlsStream(std::unique_ptr<Stream> below, SslPointer ssl, Role role,
                     std::shared_ptr<const void> keeps)
    : wire_(std::move(below)),
      keeps_(std::move(keeps)),
      owned_(std::move(ssl)),
      ssl_(owned_.get()),
      role_(role) {
    BIO* const bio = wire_.make_bio();
    if (bio == nullptr) throw std::bad_alloc();
    SSL_set_bio(ssl_, bio, bio);
    if (role_ == Role::server) wire_.watch_hellos(*ssl_);
    if (role_ == Role::server && SSL_get_verify_mode(ssl_) != SSL_VERIFY_NONE)
        wire_.watch_certificates(*ssl_);
    wire_.below().observe(this);
    take_flags();
}

TlsStream::~TlsStream() {
    if (!abort_ && !broken_) {
        say_end();
        wire_.below().hurry();
        (void)wire_.flush();  // at worst the peer does not get it
    }
    ERR_clear_error();
}

// ── the handshake ──

IoResult TlsStream::connected() {
    const IoResult below = wire_.below().connected();
    if (below.status != Io::ok || established_) return below;
    const IoResult state = handshake();
    return state.status == Io::ended ? IoResult{Io::failed, 0, ECONNRESET} : state;
}

IoResult TlsStream::handshake() {
    if (failed()) return {Io::failed, 0, error_};
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_);
    const int error = SSL_get_error(ssl_, done);
    const bool flushed = flush();
    if (done == 1) {
        establish();
        writable_ = flushed;
        readable_ = false;  // the bytes there may be TLS's own messages
        look_inside();
        return {};
    }
    const bool plain = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
    return role_ == Role::server && error == SSL_ERROR_SSL && plain ? turn_plain() : halted(error);
}

void TlsStream::establish() {
    established_ = true;
    wire_.count_records();
    SSL_set_msg_callback(ssl_, nullptr);
    secured_.version = SSL_get_version(ssl_);
    secured_.cipher = SSL_get_cipher_name(ssl_);
    secured_.resumed = SSL_session_reused(ssl_) == 1;
    if (role_ == Role::server) note_client_certificate();
}

// Only a handshake needs the certificates behind the first, which may be large; a session ticket
// holds the first alone.
void TlsStream::note_client_certificate() {
    free_all(SSL_get_peer_cert_chain(ssl_));
    free_all(SSL_get0_verified_chain(ssl_));
    X509* const peer = SSL_get0_peer_certificate(ssl_);
    if (peer == nullptr) return;
    secured_.client_subject = subject_of(*peer);
    secured_.client_fingerprint = fingerprint_of(*peer);
}

IoResult TlsStream::turn_plain() {
    plain_ = true;
    ERR_clear_error();
    take_flags();
    return {Io::failed, 0, spoke_plainly};
}

std::string TlsStream::fault() const {
    const bool waits = role_ == Role::server && !established_ && !plain_ && wire_.begun();
    return fault_.empty() && waits ? "the handshake has not ended" : fault_;
}

// ── what stopped it ──

IoResult TlsStream::halted(int ssl_error) {
    if (ssl_error == SSL_ERROR_WANT_READ && wire_.ended()) {
        fin_ = readable_ = true;
        if (role_ == Role::server) return {Io::ended, 0, 0};
        fault_ = "the peer closed the connection without close_notify";
        return {Io::failed, 0, EPROTO};
    }
    if (ssl_error == SSL_ERROR_WANT_READ || ssl_error == SSL_ERROR_WANT_WRITE) {
        // OpenSSL stopped to write, so it read nothing: once there is room, read again.
        readable_ = ssl_error == SSL_ERROR_WANT_WRITE || wire_.below().readable();
        return {Io::blocked, 0, 0};
    }
    if (ssl_error != SSL_ERROR_ZERO_RETURN) return fail(ssl_error);
    fin_ = readable_ = true;
    return {Io::ended, 0, 0};
}

// OpenSSL has gathered the alert that tells the peer why.
IoResult TlsStream::fail(int ssl_error) {
    const bool socket = ssl_error == SSL_ERROR_SYSCALL && wire_.read_error() != 0;
    const bool judges = SSL_get_verify_mode(ssl_) != SSL_VERIFY_NONE;
    error_ = socket ? wire_.read_error() : EPROTO;
    if (wire_.refusal() != nullptr) {
        fault_ = wire_.refusal();
    } else if (socket) {
        fault_ = std::strerror(error_);
    } else if (const long verdict = SSL_get_verify_result(ssl_); judges && verdict != X509_V_OK) {
        untrusted_ = verdict != X509_V_ERR_OUT_OF_MEM && !lacked_memory();
        fault_ = untrusted_ ? std::string("certificate not trusted: ") +
                                  X509_verify_cert_error_string(verdict)
                            : "no memory to verify the certificate";
    } else {
        fault_ = reason_of(ERR_peek_error());
    }
    ERR_clear_error();
    const bool over = ((socket && wire_.refusal() == nullptr) || wire_.ended()) && !given_up();
    failure_ = over ? Failure::over : Failure::found;
    broken_ = readable_ = writable_ = true;
    wire_.below().hurry();
    (void)wire_.flush();
    return {Io::failed, 0, error_};
}

// A client's failure is the end. A server's failure is reported once; after that, reads report what
// the connection itself does: its bytes are not TLS, but the server may still be working.
IoResult TlsStream::read_behind_failure(std::span<char> into) {
    const bool server_may_work = role_ == Role::client && established_;
    if (failure_ == Failure::over || !server_may_work ||
        std::exchange(failure_, Failure::told) == Failure::found)
        return {Io::failed, 0, error_};
    IoResult got;
    while (got.status == Io::ok) got = wire_.below().read_some(into);
    if (got.status != Io::blocked && !given_up()) failure_ = Failure::over;
    return got;
}

// ── writing ──

IoResult TlsStream::write_some(std::span<const iovec> pieces) {
    if (plain_) {
        const IoResult written = wire_.below().write_some(pieces);
        take_flags();
        return written;
    }
    if (!established_) {
        const IoResult state = handshake();
        if (state.status == Io::ended) return {Io::failed, 0, ECONNRESET};
        if (state.status != Io::ok) return state;
    }
    const std::size_t wanted = size_of(pieces);
    std::size_t taken = 0;
    for (;;) {
        writable_ = flush();
        if (failed() || wire_.write_error() != 0) {
            if (taken != 0) break;  // it will be said again
            return {Io::failed, 0, failed() ? error_ : wire_.write_error()};
        }
        if (!writable_) break;
        // The caller may pass the same bytes in other pieces than at first.
        const std::size_t sent = std::min(ahead_, wanted - taken);
        flowing_ += sent;
        ahead_ -= sent;
        taken += sent;
        if (taken == wanted) return {Io::ok, taken, 0};
        ahead_ = encrypt(pieces, taken);
        if (ahead_ == 0 && !failed()) break;
    }
    return taken != 0 ? IoResult{Io::ok, taken, 0} : IoResult{Io::blocked, 0, 0};
}

// Gathers the records of the next window; returns how many bytes of `pieces` they hold.
std::size_t TlsStream::encrypt(std::span<const iovec> pieces, std::size_t skip) {
    std::array<char, tls_record_size> joined;
    const std::size_t most = flowing_ < earns_window ? first_window : window;
    std::size_t done = 0;
    while (done < most) {
        const auto record = next_record(pieces, skip + done, joined);
        if (record.empty()) break;
        std::size_t n = 0;
        ERR_clear_error();
        if (const int written = SSL_write_ex(ssl_, record.data(), record.size(), &n);
            written != 1) {
            if (done == 0) (void)halted(SSL_get_error(ssl_, written));
            break;
        }
        done += n;
    }
    return done;
}

bool TlsStream::flush() {
    const bool flushed = wire_.flush();
    if (!flushed) flowing_ = 0;
    // Behind a failure of TLS the peer need not read what is gathered.
    const bool ends = finishing_ && (flushed || failed());
    if (ends && !std::exchange(finished_, true)) wire_.below().finish_writing();
    return flushed;
}

void TlsStream::finish_writing() {
    finishing_ = true;
    say_end();
    (void)flush();
}

// Gathers our close_notify, once; the peer's own may come later, or not at all.
void TlsStream::say_end() {
    if (!established_ || failed() || (SSL_get_shutdown(ssl_) & SSL_SENT_SHUTDOWN) != 0) return;
    ERR_clear_error();
    (void)SSL_shutdown(ssl_);  // fails if the peer is gone
}

void TlsStream::abort_on_close() {
    abort_ = true;
    wire_.below().abort_on_close();
}

// ── what happened below ──

void TlsStream::take_flags() {
    const Stream& below = wire_.below();
    if (plain_ || !established_) {
        readable_ = below.readable();
        writable_ = below.writable();
    }
    fin_ = fin_ || below.fin();
    broken_ = broken_ || below.broken();
    if (fin_ || broken_) readable_ = true;
    if (broken_) writable_ = true;
}

void TlsStream::notify() {
    if (!plain_ && established_) {
        writable_ = flush();
        look_inside();
    }
    take_flags();
    if (observer_ != nullptr) observer_->notify();
}

bool TlsStream::stale() {
    return readable_ || fin_ || broken_ || wire_.below().stale();
}

void TlsStream::look() {
    wire_.below().look();
    if (established_ && !plain_) look_inside();
    take_flags();
}

}  // namespace ticketgate::net
