// See loop_asio.hpp.
#include "net/stream.hpp"

#ifdef TG_LOOP_ASIO

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/intrusive_ptr.hpp>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ticketgate::net {

namespace asio = boost::asio;

extern const bool direct;  // loop_asio.cpp

namespace {

constexpr std::size_t most_pieces = IOV_MAX;
constexpr std::size_t most_a_turn = 256 << 10;
constexpr std::size_t call_cost = 4 << 10;
// Unread bytes that are received to learn of the end behind them.
constexpr std::size_t most_stashed = 32 << 10;
// Posted, what is received is copied once more: long bodies are read by their reader.
const std::size_t most_at_once =
    std::getenv("TG_LOOP_ASIO_DIRECT") != nullptr ? 128 << 10 : 16 << 10;

IoResult failure() {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Io::blocked, 0, 0};
    return {Io::failed, 0, errno};
}

ssize_t send_pieces(int descriptor, std::span<const iovec> pieces) {
    if (pieces.size() == 1)
        return ::send(descriptor, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL);
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    return ::sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

}  // namespace

struct SocketStream::Socket {
    Socket(Loop::Context& io, SocketStream& stream) : socket(io), owner(&stream) {}
    asio::basic_stream_socket<asio::generic::stream_protocol, Loop::Context::executor_type> socket;
    SocketStream* owner;
    int references = 1;
    bool reading = false, writing = false;
    bool trying = false;  // inside the call that starts a receive
    char byte = 0;
    std::span<char> target;

    // What is read outside the reactor's own step is told later, when the loop's buffer may be
    // another's: one byte, the reader takes the rest from the system.
    std::span<char> aim() {
        target = {&byte, 1};
        if (!trying && !writing && owner != nullptr) {
            const auto room = owner->loop_->room();
            if (!room.empty()) target = room.first(std::min(room.size(), most_at_once));
        }
        return target;
    }
    friend void intrusive_ptr_add_ref(Socket* socket) { ++socket->references; }
    friend void intrusive_ptr_release(Socket* socket) {
        if (--socket->references == 0) delete socket;
    }
};

// Asks for the place at the moment of the read.
struct SocketStream::Target {
    using value_type = asio::mutable_buffer;
    using const_iterator = const asio::mutable_buffer*;
    const_iterator begin() const {
        const auto room = socket->aim();
        buffer = asio::mutable_buffer(room.data(), room.size());
        return &buffer;
    }
    const_iterator end() const { return &buffer + 1; }
    Socket* socket;
    mutable asio::mutable_buffer buffer;
};

struct SocketStream::Received {
    void operator()(boost::system::error_code error, std::size_t bytes) const {
        socket->reading = false;
        if (socket->owner == nullptr || error == asio::error::operation_aborted) return;
        SocketStream& stream = *socket->owner;
        Loop& loop = *stream.loop_;
        loop.begin_event();
        stream.received(error == asio::error::eof ? -1 : error.value(), bytes);
        loop.end_event();
    }
    boost::intrusive_ptr<Socket> socket;
};

struct SocketStream::Writable {
    void operator()(boost::system::error_code error) const {
        socket->writing = false;
        if (socket->owner == nullptr || error == asio::error::operation_aborted) return;
        SocketStream& stream = *socket->owner;
        Loop& loop = *stream.loop_;
        loop.begin_event();
        stream.writable_ = true;
        stream.tell();
        loop.end_event();
    }
    boost::intrusive_ptr<Socket> socket;
};

SocketStream::SocketStream(Loop& loop, int descriptor) : SocketStream(loop, descriptor, false) {}

SocketStream::SocketStream(Loop& loop, int descriptor, bool connecting)
    : loop_(&loop), descriptor_(descriptor), connecting_(connecting) {
    const int on = 1;
    (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connecting) writable_ = false;
    watch();
}

void SocketStream::watch() {
    socket_ = new Socket(loop_->context(), *this);
    boost::system::error_code error;
    socket_->socket.assign(asio::generic::stream_protocol(AF_INET, IPPROTO_TCP), descriptor_,
                           error);
    if (!error) {
        if (!more_ && !connecting_ && stash_.size() < most_stashed) expect_bytes();
        if (!writable_) expect_room();
        if (readable_) loop_->again(*this);
        return;
    }
    ::shutdown(descriptor_, SHUT_RDWR);
    broken_ = readable_ = writable_ = true;
    loop_->again(*this);
    errno = error.value();
}

void SocketStream::release() {
    if (socket_ == nullptr) return;
    socket_->owner = nullptr;
    boost::system::error_code error;
    if (socket_->socket.is_open()) (void)socket_->socket.release(error);
    intrusive_ptr_release(std::exchange(socket_, nullptr));
}

SocketStream::~SocketStream() {
    release();
    ::close(descriptor_);
}

std::unique_ptr<SocketStream> SocketStream::connect(Loop& loop, const Endpoint& to, int& error) {
    const int descriptor = ::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        error = errno;
        return nullptr;
    }
    if (::connect(descriptor, to.address(), to.size()) != 0 && errno != EINPROGRESS) {
        error = errno;
        ::close(descriptor);
        return nullptr;
    }
    std::unique_ptr<SocketStream> stream(new SocketStream(loop, descriptor, true));
    if (stream->broken()) {
        error = errno;
        return nullptr;
    }
    return stream;
}

IoResult SocketStream::connected() {
    if (!connecting_) return {};
    if (!writable_ && !broken_) return {Io::blocked, 0, 0};
    int error = 0;
    socklen_t size = sizeof(error);
    if (getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return {Io::failed, 0, error};
    connecting_ = false;
    expect_bytes();
    return {};
}

void SocketStream::expect_bytes() {
    if (socket_ == nullptr || socket_->reading || eof_ || broken_) return;
    socket_->reading = socket_->trying = true;
    socket_->socket.async_receive(Target{socket_, {}}, Received{socket_});
    socket_->trying = false;
}

void SocketStream::expect_room() {
    if (socket_ == nullptr || socket_->writing) return;
    socket_->writing = true;
    socket_->socket.async_wait(asio::socket_base::wait_write, Writable{socket_});
}

void SocketStream::tell() {
    if (observer_ != nullptr) observer_->notify();
}

void SocketStream::received(int error, std::size_t bytes) {
    readable_ = true;
    if (error == -1) {
        eof_ = fin_ = true;
    } else if (error != 0) {
        broken_ = writable_ = true;
        error_ = error;
    } else if (socket_->target.data() == &socket_->byte) {
        stash_ += socket_->byte;
        more_ = true;
    } else {
        at_ = socket_->target.first(bytes);
        more_ = bytes == socket_->target.size();
        loop_->hold(*this, bytes);
    }
    tell();
}

// The turn is over, and nobody has taken them.
void SocketStream::spill() {
    stash_.append(at_.data(), at_.size());
    at_ = {};
    if (!more_ && stash_.size() < most_stashed) expect_bytes();
}

bool SocketStream::stale() {
    if (readable_ || fin_ || broken_) return true;
    char byte = 0;
    const auto n = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

void SocketStream::look() {
    pollfd state{descriptor_, POLLIN | POLLRDHUP, 0};
    if (::poll(&state, 1, 0) <= 0) return;
    if ((state.revents & POLLIN) != 0) readable_ = more_ = true;
    if ((state.revents & POLLRDHUP) != 0) fin_ = readable_ = more_ = true;
    if ((state.revents & (POLLERR | POLLHUP)) != 0) broken_ = true;
}

std::uint64_t SocketStream::backlog() const {
    int bytes = 0;
    return ::ioctl(descriptor_, SIOCOUTQ, &bytes) == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

IoResult SocketStream::peek(std::span<char> into) {
    if (!at_.empty()) {
        const auto held = Holder::is_linked();
        if (held) Holder::unlink();
        spill();
    }
    if (!stash_.empty()) {
        const auto n = std::min(into.size(), stash_.size());
        std::memcpy(into.data(), stash_.data(), n);
        if (n == into.size() || !more_) return {Io::ok, n, 0};
        const auto rest = ::recv(descriptor_, into.data() + n, into.size() - n, MSG_PEEK);
        return {Io::ok, n + (rest > 0 ? static_cast<std::size_t>(rest) : 0), 0};
    }
    if (eof_) return {Io::ended, 0, 0};
    const auto n = ::recv(descriptor_, into.data(), into.size(), MSG_PEEK);
    if (n < 0) return failure();
    readable_ = more_ = true;
    return {n == 0 ? Io::ended : Io::ok, static_cast<std::size_t>(n), 0};
}

bool SocketStream::has_turn() {
    if (turn_ != loop_->turns()) {
        turn_ = loop_->turns();
        used_ = 0;
    }
    if (used_ < most_a_turn) return true;
    loop_->again(*this);
    return false;
}

void SocketStream::count(std::size_t bytes) {
    used_ += static_cast<std::uint32_t>(bytes + call_cost);
}

IoResult SocketStream::read_some(std::span<char> into) {
    if (!readable_ || !has_turn()) return {Io::blocked, 0, 0};
    loop_->spill_others(*this);
    if (!stash_.empty() || !at_.empty()) return take(into);
    if (eof_) return {Io::ended, 0, 0};
    if (error_ != 0) return {Io::failed, 0, error_};
    return read_socket(into);
}

IoResult SocketStream::take(std::span<char> into) {
    std::size_t n = 0;
    if (!stash_.empty()) {
        if (!at_.empty()) {
            if (Holder::is_linked()) Holder::unlink();
            spill();
        }
        n = std::min(into.size(), stash_.size());
        std::memcpy(into.data(), stash_.data(), n);
        n == stash_.size() ? stash_ = {} : stash_.erase(0, n);
    } else {
        n = std::min(into.size(), at_.size());
        if (into.data() != at_.data()) std::memmove(into.data(), at_.data(), n);
        at_ = at_.subspan(n);
        if (at_.empty() && Holder::is_linked()) Holder::unlink();
    }
    count(n);
    if (stash_.empty() && at_.empty() && more_ && n < into.size()) {
        const IoResult rest = read_socket(into.subspan(n));  // an end is told by the next read
        return {Io::ok, n + rest.bytes, 0};
    }
    if (stash_.empty() && at_.empty() && !more_ && !fin_ && !broken_) {
        readable_ = false;
        expect_bytes();
    }
    return {Io::ok, n, 0};
}

IoResult SocketStream::read_socket(std::span<char> into) {
    const auto n = ::recv(descriptor_, into.data(), into.size(), 0);
    if (n == 0) {
        eof_ = fin_ = true;
        return {Io::ended, 0, 0};
    }
    if (n < 0) {
        const IoResult result = failure();
        if (result.status == Io::blocked) {
            readable_ = more_ = false;
            expect_bytes();
        }
        return result;
    }
    const auto bytes = static_cast<std::size_t>(n);
    count(bytes);
    if (bytes < into.size() && !fin_ && !broken_) {
        readable_ = more_ = false;
        expect_bytes();
    }
    return {Io::ok, bytes, 0};
}

IoResult SocketStream::write_some(std::span<const iovec> pieces) {
    if (!hurried_ && !has_turn()) return {Io::blocked, 0, 0};
    std::size_t taken = 0;
    while (writable_ && !pieces.empty()) {
        const auto batch = pieces.first(std::min(pieces.size(), most_pieces));
        const IoResult written = write_batch(batch);
        if (written.status == Io::failed) return written;
        taken += written.bytes;
        pieces = pieces.subspan(batch.size());
    }
    if (!writable_) expect_room();
    return {taken != 0 || writable_ ? Io::ok : Io::blocked, taken, 0};
}

IoResult SocketStream::write_batch(std::span<const iovec> pieces) {
    std::size_t wanted = 0;
    for (const iovec& piece : pieces) wanted += piece.iov_len;
    const auto n = send_pieces(descriptor_, pieces);
    if (n < 0) {
        const IoResult result = failure();
        if (result.status == Io::blocked) writable_ = false;
        return result;
    }
    const auto bytes = static_cast<std::size_t>(n);
    count(bytes);
    if (bytes < wanted) writable_ = false;
    return {Io::ok, bytes, 0};
}

void SocketStream::finish_writing() {
    ::shutdown(descriptor_, SHUT_WR);
}

void SocketStream::abort_on_close() {
    const linger reset{1, 0};
    (void)setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

void SocketStream::detach() {
    if (Pollable::is_linked()) Pollable::unlink();
    if (Holder::is_linked()) Holder::unlink();
    if (!at_.empty()) {
        stash_.append(at_.data(), at_.size());
        at_ = {};
    }
    release();
    loop_ = nullptr;
}

void SocketStream::attach(Loop& loop) {
    loop_ = &loop;
    watch();
}

void SocketStream::on_events(std::uint32_t) {
    tell();
}

}  // namespace ticketgate::net

#endif
