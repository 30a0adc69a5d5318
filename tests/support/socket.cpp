#include "support/socket.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ticketgate::test {
namespace {

Socket::Status ended_by_errno() {
    return errno == ECONNRESET || errno == EPIPE ? Socket::Status::reset : Socket::Status::ended;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      tls_(std::move(other.tls_)),
      tls_fault_(std::move(other.tls_fault_)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
    if (this == &other) return *this;
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    tls_ = std::move(other.tls_);
    tls_fault_ = std::move(other.tls_fault_);
    return *this;
}

Socket Socket::connect(const net::Endpoint& to, int receive_buffer) {
    Socket socket(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (receive_buffer > 0) {
        ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                     sizeof(receive_buffer));
    }
    if (::connect(socket.descriptor_, to.address(), to.size()) != 0)
        throw std::runtime_error("cannot connect to " + to.text() + ": " + std::strerror(errno));
    return socket;
}

bool Socket::wait(short events, Clock::time_point end) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        pollfd p{descriptor_, events, 0};
        const int n = ::poll(&p, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (n > 0) return true;
        if (n == 0 || errno != EINTR) return false;
    }
}

bool Socket::readable(Clock::duration limit) {
    return wait(POLLIN, Clock::now() + limit);
}

// ── with TLS ──

bool Socket::secure(const TlsEnd& how, Clock::duration limit) {
    const auto end = Clock::now() + limit;
    ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
    tls_ = how.open();
    SSL_set_fd(tls_.get(), descriptor_);
    for (;;) {
        ERR_clear_error();
        const int done = SSL_do_handshake(tls_.get());
        if (done == 1) return true;
        if (tls_wait(done, end) != Status::ok) return false;
    }
}

bool Socket::told_end() const {
    return tls_ && (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

// Returns ok if the call should be tried again.
Socket::Status Socket::tls_wait(int result, Clock::time_point end) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return wait(POLLIN, end) ? Status::ok : Status::timeout;
        case SSL_ERROR_WANT_WRITE:
            return wait(POLLOUT, end) ? Status::ok : Status::timeout;
        case SSL_ERROR_SYSCALL:
            tls_fault_ = "the connection ended";
            return errno == ECONNRESET || errno == EPIPE ? Status::reset : Status::ended;
        case SSL_ERROR_ZERO_RETURN:
            return Status::ended;
        default: {
            const char* reason = ERR_reason_error_string(ERR_peek_error());
            tls_fault_ = reason == nullptr ? "unknown" : reason;
            return Status::ended;
        }
    }
}

void Socket::say_end() {
    if (!tls_) return;
    ERR_clear_error();
    (void)SSL_shutdown(tls_.get());
}

void Socket::cut() {
    ::shutdown(descriptor_, SHUT_WR);
}

// ── both ──

Socket::Status Socket::send(std::string_view bytes) {
    auto end = Clock::now() + patience;
    while (tls_ && !bytes.empty()) {
        ERR_clear_error();
        const int n = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
            end = Clock::now() + patience;
        } else if (const auto status = tls_wait(n, end); status != Status::ok) {
            return status;
        }
    }
    while (!bytes.empty()) {
        const auto n = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
            end = Clock::now() + patience;
        } else if (errno != EAGAIN && errno != EINTR) {
            return ended_by_errno();
        } else if (!wait(POLLOUT, end)) {
            return Status::timeout;
        }
    }
    return Status::ok;
}

std::size_t Socket::send_some(std::string_view bytes) {
    if (tls_ && !bytes.empty()) {
        ERR_clear_error();
        const int sent = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
        return sent < 0 ? 0 : static_cast<std::size_t>(sent);
    }
    const auto n = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return n < 0 ? 0 : static_cast<std::size_t>(n);
}

Socket::Status Socket::receive(std::string& into, Clock::time_point end) {
    char piece[64 << 10];
    while (tls_) {
        ERR_clear_error();
        const int n = SSL_read(tls_.get(), piece, sizeof(piece));
        if (n > 0) {
            into.append(piece, static_cast<std::size_t>(n));
            return Status::ok;
        }
        if (const auto status = tls_wait(n, end); status != Status::ok) return status;
    }
    for (;;) {
        const auto n = ::recv(descriptor_, piece, sizeof(piece), MSG_DONTWAIT);
        if (n > 0) {
            into.append(piece, static_cast<std::size_t>(n));
            return Status::ok;
        }
        if (n == 0) return Status::ended;
        if (errno != EAGAIN && errno != EINTR) return ended_by_errno();
        if (!wait(POLLIN, end)) return Status::timeout;
    }
}

void Socket::finish_writing() {
    say_end();
    ::shutdown(descriptor_, SHUT_WR);
}

void Socket::shut_down() {
    ::shutdown(descriptor_, SHUT_RDWR);
}

void Socket::reset() {
    const linger now{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    drop();
}

void Socket::close() {
    if (descriptor_ >= 0 && tls_ && SSL_is_init_finished(tls_.get()) == 1) say_end();
    drop();
}

void Socket::drop() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool Reader::more(Clock::time_point end) {
    status_ = socket_->receive(unread_, end);
    return status_ == Socket::Status::ok;
}

std::string Reader::through(std::string_view mark, Clock::duration limit) {
    const auto end = Clock::now() + limit;
    std::size_t from = 0;
    for (;;) {
        const auto at = unread_.find(mark, from);
        if (at != std::string::npos) {
            std::string found = unread_.substr(0, at + mark.size());
            unread_.erase(0, found.size());
            return found;
        }
        from = unread_.size() < mark.size() ? 0 : unread_.size() - mark.size() + 1;
        if (!more(end)) return {};
    }
}

bool Reader::exactly(std::size_t n, std::string& into, Clock::duration limit) {
    for (;;) {
        const std::size_t here = std::min(n, unread_.size());
        into.append(unread_, 0, here);
        unread_.erase(0, here);
        n -= here;
        if (n == 0) return true;
        if (!more(Clock::now() + limit)) return false;
    }
}

std::string Reader::rest(Clock::duration limit) {
    while (more(Clock::now() + limit)) {
    }
    EXPECT_NE(status_, Socket::Status::timeout) << "the peer does not end the connection";
    return std::exchange(unread_, {});
}

bool Reader::some(std::string& into, Clock::duration limit) {
    if (unread_.empty() && !more(Clock::now() + limit)) return false;
    into += std::exchange(unread_, {});
    return true;
}

std::string Reader::take(std::size_t n) {
    std::string bytes;
    (void)exactly(n, bytes);  // the caller notices fewer bytes
    return bytes;
}

std::string Reader::take_some() {
    std::string bytes;
    (void)some(bytes);  // empty at the end
    return bytes;
}

}  // namespace ticketgate::test
