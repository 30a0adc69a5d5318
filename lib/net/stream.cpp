#include "net/stream.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <limits>
#include <utility>

#include "base/shortage.hpp"

namespace ticketgate::net {
namespace {

// Registered once for all events, edge-triggered. EPOLLRDHUP reports a FIN before the bytes ahead
// of it are read.
constexpr std::uint32_t all_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

// The most pieces of one call; the system refuses more (EMSGSIZE).
constexpr std::size_t most_pieces = IOV_MAX;

// The most bytes of one stream in one turn of the loop: a fraction of a millisecond's work. Each
// call counts as some bytes itself, so that many small calls reach the limit too.
constexpr std::size_t most_a_turn = 256 << 10;
constexpr std::size_t call_cost = 4 << 10;

// While nothing comes from the peer: asks after this time, and then as often.
constexpr int ask_after_s = 30;

// True for errors that the peer or we caused. All others are this machine's verdict on the network.
bool is_peers(int error) {
    return error == ECONNRESET || error == EPIPE;
}

// True for errors of the one call: the system has no memory for it now, or it was interrupted.
bool is_passing(int error) {
    return no_memory_now(error) || error == EINTR;
}

// Most writes have one piece; for that, send() is cheaper than sendmsg().
ssize_t send_pieces(int descriptor, std::span<const iovec> pieces, int flags) {
    if (pieces.size() == 1) return ::send(descriptor, pieces[0].iov_base, pieces[0].iov_len, flags);
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    return ::sendmsg(descriptor, &message, flags);
}

}  // namespace

SocketStream::SocketStream(Loop& loop, int descriptor) : loop_(&loop), descriptor_(descriptor) {
    const int on = 1;
    // Fails on a unix socket, which has no such delay.
    (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    watch();
}

// If the loop cannot watch the socket, shuts the connection down: it is broken, and its owner is
// notified in the next turn.
void SocketStream::watch() {
    if (loop_->add(*this, descriptor_, all_events)) return;
    const int error = errno;
    ::shutdown(descriptor_, SHUT_RDWR);
    broken_ = readable_ = writable_ = true;
    loop_->again(*this);
    errno = error;
}

SocketStream::~SocketStream() {
    if (loop_ != nullptr) loop_->remove(descriptor_);
    ::close(descriptor_);
}

std::unique_ptr<SocketStream> SocketStream::take_over(Loop& loop, Descriptor& descriptor) {
    auto stream = std::make_unique<SocketStream>(loop, descriptor.get());
    (void)descriptor.release();  // the stream owns it
    return stream;
}

std::unique_ptr<SocketStream> SocketStream::connect(Loop& loop, const Endpoint& to, int& error) {
    Descriptor descriptor(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (descriptor.get() < 0) {
        error = errno;
        return nullptr;
    }
    // A unix socket answers at once; EAGAIN means that its backlog is full.
    if (::connect(descriptor.get(), to.address(), to.size()) != 0 && errno != EINPROGRESS) {
        error = errno;
        return nullptr;
    }
    auto stream = take_over(loop, descriptor);
    if (stream->broken()) {
        error = errno;
        return nullptr;
    }
    stream->connecting_ = true;
    stream->writable_ = false;
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
    return {};
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
    if ((state.revents & POLLIN) != 0) readable_ = true;
    if ((state.revents & POLLRDHUP) != 0) fin_ = readable_ = true;
    if ((state.revents & (POLLERR | POLLHUP)) != 0) broken_ = true;
}

std::uint64_t SocketStream::backlog() const {
    int bytes = 0;
    return ::ioctl(descriptor_, SIOCOUTQ, &bytes) == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

IoResult SocketStream::peek(std::span<char> into) {
    read_stalled_ = false;
    const auto n = ::recv(descriptor_, into.data(), into.size(), MSG_PEEK);
    if (n < 0) return failure(Way::in);
    readable_ = true;  // the event may still be on its way
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

// An errno alone does not tell whether the connection stands: only the system's state of it does.
// While it stands, its end may still come, so reads go on whatever a read fails with. A write of
// which nobody knows when it can succeed has failed; its user sends a FIN.
IoResult SocketStream::failure(Way way) {
    const int error = errno;
    (way == Way::in ? readable_ : writable_) = false;
    if (error == EAGAIN || error == EWOULDBLOCK) return {Io::blocked, 0, 0};
    if (is_passing(error) || (way == Way::in && !is_peers(error) && stands())) {
        stall(way, error);
        return {Io::blocked, 0, 0};
    }
    (way == Way::in ? readable_ : writable_) = true;
    // Behind the peer's end a connection hangs up in order, once we have ended our side, too. The
    // event of a FIN is no proof of that: it also comes when this machine gives up.
    if (!is_peers(error) && !ended_ && !stands()) given_up_ = error;
    return {Io::failed, 0, error};
}

void SocketStream::stall(Way way, int error) {
    (way == Way::in ? read_stalled_ : write_stalled_) = true;
    stalled_ = error;
    loop_->later(*this, error);
}

void SocketStream::read_later() {
    readable_ = false;
    stall(Way::in, ENOMEM);
}

// poll() reports a hang-up when both directions have ended, by either side.
bool SocketStream::stands() const {
    pollfd state{descriptor_, 0, 0};
    return ::poll(&state, 1, 0) <= 0;  // also where poll() itself has no memory
}

IoResult SocketStream::read_some(std::span<char> into) {
    if (!readable_ || !has_turn()) return {Io::blocked, 0, 0};
    if (given_up_ != 0) return {Io::failed, 0, given_up_};
    read_stalled_ = false;
    const auto n = ::recv(descriptor_, into.data(), into.size(), 0);
    if (n == 0) {
        ended_ = true;
        return {Io::ended, 0, 0};
    }
    if (n < 0) return failure(Way::in);
    const auto bytes = static_cast<std::size_t>(n);
    count(bytes);
    // A short read has emptied the socket, unless the end of the connection is next: its event came
    // already, so nothing else would announce it.
    if (bytes < into.size() && !fin_ && !broken_) readable_ = false;
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
    return {taken != 0 || writable_ ? Io::ok : Io::blocked, taken, 0};
}

// If the socket does not take a batch whole, another write would block.
IoResult SocketStream::write_batch(std::span<const iovec> pieces) {
    std::size_t wanted = 0;
    for (const iovec& piece : pieces) wanted += piece.iov_len;
    const int more = std::exchange(file_follows_, false) ? MSG_MORE : 0;
    write_stalled_ = false;
    const auto n = send_pieces(descriptor_, pieces, MSG_NOSIGNAL | more);
    if (n < 0) return failure(Way::out);
    const auto bytes = static_cast<std::size_t>(n);
    count(bytes);
    if (bytes < wanted) writable_ = false;
    return {Io::ok, bytes, 0};
}

IoResult SocketStream::send_file(int file, std::uint64_t from, std::size_t size) {
    if (!writable_ || (!hurried_ && !has_turn())) return {Io::blocked, 0, 0};
    auto offset = static_cast<off_t>(from);
    write_stalled_ = false;
    const auto n = ::sendfile(descriptor_, file, &offset, size);
    if (n < 0) return failure(Way::out);
    const auto bytes = static_cast<std::size_t>(n);
    count(bytes);
    // Fewer bytes than asked for: the socket is full, or the file has ended. Another call tells.
    return {Io::ok, bytes, 0};
}

// TCP_USER_TIMEOUT also bounds what waits for an acknowledgement (tcp(7)).
void SocketStream::insist() {
    const auto set = [this](int level, int option, int value) {
        (void)setsockopt(descriptor_, level, option, &value, sizeof(value));  // best effort
    };
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, std::numeric_limits<int>::max());
    set(IPPROTO_TCP, TCP_KEEPIDLE, ask_after_s);
    set(IPPROTO_TCP, TCP_KEEPINTVL, ask_after_s);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
}

void SocketStream::acknowledge() {
    const int on = 1;
    // Best effort; fails on a unix socket, which has no such delay.
    (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

void SocketStream::finish_writing() {
    ::shutdown(descriptor_, SHUT_WR);
}

void SocketStream::hang_up() {
    ::shutdown(descriptor_, SHUT_RDWR);
}

void SocketStream::abort_on_close() {
    const linger reset{1, 0};
    (void)setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));  // best effort
}

void SocketStream::detach() {
    if (is_linked()) unlink();
    loop_->remove(descriptor_);
    loop_ = nullptr;
}

// Adding the socket anew reports its present state as an event.
void SocketStream::attach(Loop& loop) {
    loop_ = &loop;
    watch();
}

void SocketStream::on_events(std::uint32_t events) {
    if (events == 0) {
        readable_ |= read_stalled_;
        writable_ |= write_stalled_;
    }
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        broken_ = (events & EPOLLERR) != 0 || !connecting_;
        readable_ = writable_ = true;
    }
    if ((events & EPOLLRDHUP) != 0) fin_ = readable_ = true;
    if ((events & EPOLLIN) != 0) readable_ = true;
    if ((events & EPOLLOUT) != 0) writable_ = true;
    if (observer_ != nullptr) observer_->notify();
}

}  // namespace ticketgate::net
