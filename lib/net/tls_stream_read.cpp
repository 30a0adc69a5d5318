// The reading half of TlsStream: what a reader gets, and what is taken before it wants it.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "net/tls_stream.hpp"

namespace ticketgate::net {

IoResult TlsStream::read_some(std::span<char> into) {
    if (plain_) {
        const IoResult got = wire_.below().read_some(into);
        take_flags();
        return got;
    }
    if (dropped_) return read_dropped(into);
    if (failed()) return read_behind_failure(into);
    wire_.reads(TlsWire::Reads::ahead);
    if (!established_) {
        IoResult state = handshake();
        if (state.error == spoke_plainly) state.bytes = wire_.copy_first(into);
        if (state.status != Io::ok) return state;
    }
    std::size_t got = read_early(into);
    while (got < into.size()) {
        std::size_t n = 0;
        ERR_clear_error();
        const int read = SSL_read_ex(ssl_, into.data() + got, into.size() - got, &n);
        if (read != 1) {
            const int error = SSL_get_error(ssl_, read);
            if (error == SSL_ERROR_WANT_WRITE && flush()) continue;
            const IoResult end = halted(error);
            (void)flush();
            if (failure_ == Failure::found && got == 0) failure_ = Failure::told;
            wire_.shrink();
            if (got == 0) return end;
            break;  // the next read reports it again
        }
        wire_.earn(n);
        got += n;
    }
    // The reader has what it wanted, until it reads again.
    wire_.reads(TlsWire::Reads::alerts);
    take_pending();
    wire_.shrink();
    return {Io::ok, got, 0};
}

// Takes the rest of a record out of OpenSSL, whose buffer has room for the largest one.
void TlsStream::take_pending() noexcept {
    const int pending = SSL_pending(ssl_);
    if (pending <= 0) return;
    const std::size_t before = early_.size();
    try {
        early_.resize(before + static_cast<std::size_t>(pending));
    } catch (const std::bad_alloc&) {
        return;  // it stays where it is
    }
    std::size_t n = 0;
    (void)SSL_read_ex(ssl_, early_.data() + before, early_.size() - before, &n);
    wire_.earn(n);
    early_.resize(before + n);
}

std::size_t TlsStream::read_early(std::span<char> into) {
    const std::size_t given = std::min(into.size(), early_.size());
    std::copy_n(early_.data(), given, into.data());
    early_.erase(0, given);
    if (early_.empty()) release(early_);
    return given;
}

void TlsStream::drop_held() {
    if (held() == 0 || plain_ || !established_ || failed()) return;
    dropped_ = true;
    release(early_);
    wire_.drop_unread();
}

// Reports the peer's end, and drops what comes before it.
IoResult TlsStream::read_dropped(std::span<char> into) {
    IoResult got;
    while (got.status == Io::ok) got = wire_.below().read_some(into);
    if (got.status == Io::blocked) readable_ = false;
    return got;
}

// Consumes messages that hold no bytes for the reader: a close_notify, a session ticket. Bytes for
// the next read stay, and so does everything after them in the socket.
void TlsStream::look_inside() {
    const bool maybe = wire_.below().readable() || SSL_has_pending(ssl_) == 1 || wire_.has_record();
    if (readable_ || failed() || dropped_ || !maybe) return;
    char byte = 0;
    std::size_t n = 0;
    ERR_clear_error();
    const int seen = SSL_peek_ex(ssl_, &byte, 1, &n);
    if (seen == 1) {
        readable_ = true;
        if (wire_.reads() == TlsWire::Reads::alerts) take_pending();
    } else {
        (void)halted(SSL_get_error(ssl_, seen));
        if (wire_.withholds()) readable_ = true;
    }
    (void)flush();
    wire_.shrink();
}

}  // namespace ticketgate::net
