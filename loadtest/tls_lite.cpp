#include "tls_lite.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <csignal>
#include <stdexcept>

namespace loadtest {

namespace {

SSL_CTX* rules() {
    static SSL_CTX* const made = [] {
        // OpenSSL writes without MSG_NOSIGNAL.
        (void)std::signal(SIGPIPE, SIG_IGN);
        SSL_CTX* context = SSL_CTX_new(TLS_client_method());
        if (context == nullptr) throw std::runtime_error{"no TLS"};
        SSL_CTX_set_mode(context,
                         SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        return context;
    }();
    return made;
}

}  // namespace

void TlsLite::Free::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

TlsLite::TlsLite(const Fd& fd) : ssl_{SSL_new(rules())} {
    SSL_set_fd(ssl_.get(), fd.get());
    SSL_set_connect_state(ssl_.get());
}

IoResult TlsLite::result(int returned, std::size_t size) const {
    if (returned > 0) return {Io::done, size};
    const int error = SSL_get_error(ssl_.get(), returned);
    const bool again = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
    return {again ? Io::again : Io::closed, 0};
}

IoResult TlsLite::shake_hands() {
    ERR_clear_error();
    return result(SSL_do_handshake(ssl_.get()), 0);
}

IoResult TlsLite::receive(std::span<char> into) {
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_read_ex(ssl_.get(), into.data(), into.size(), &size);
    return result(returned, size);
}

IoResult TlsLite::transmit(std::string_view bytes) {
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size);
    return result(returned, size);
}

void TlsLite::say_goodbye() {
    ERR_clear_error();
    (void)SSL_shutdown(ssl_.get());  // on failure the peer gets no close_notify
}

}  // namespace loadtest
