// The link of a worker that is passed connections, as kfcgi does (FCGI_LISTENSOCK_DESCRIPTORS):
// eight bytes, a cookie, with the descriptor of one connection; the same eight bytes come back when
// the worker has done with it. One at a time. Nothing but that shows whether its program has
// started: a worker's first request is sent only when the system says that its cookie was read.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "upstream/fcgi_exchange.hpp"
#include "upstream/worker_link.hpp"

namespace ticketgate {
namespace {

bool pass(int control, std::span<char> cookie, int descriptor) {
    iovec piece{cookie.data(), cookie.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = CMSG_LEN(sizeof(int));
    cmsghdr* const item = CMSG_FIRSTHDR(&message);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(item), &descriptor, sizeof(descriptor));
    return ::sendmsg(control, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(cookie.size());
}

// A write of nothing fails where the peer has ended its reading side (unix(7)).
bool nobody_reads(int control) {
    return ::send(control, "", 0, MSG_NOSIGNAL) != 0 && errno == EPIPE;
}

}  // namespace

DescriptorLink::DescriptorLink(std::shared_ptr<FcgiUpstream> upstream,
                               std::shared_ptr<spawn::Pool> pool, spawn::Worker& worker)
    : WorkerLink(std::move(upstream), std::move(pool), worker) {}

DescriptorLink::~DescriptorLink() = default;

void DescriptorLink::enter_loop() {
    Descriptor& control = worker().wire.control;
    if (!stream_ && control.get() >= 0)
        stream_ = net::SocketStream::take_over(loop(), control);
    else if (stream_ && !attached_)
        stream_->attach(loop());
    attached_ = stream_ != nullptr;
    if (stream_) stream_->observe(observer());
}

void DescriptorLink::leave_loop() noexcept {
    if (!attached_) return;
    stream_->detach();
    attached_ = false;
}

// The end of its control socket tells a worker to exit. One that does not start is left by its
// request, of which it has nothing.
bool DescriptorLink::close() noexcept {
    if (std::exchange(offered_, false)) {
        give_up();
        if (Observer* const request = observer()) request->notify();
    }
    if (!WorkerLink::close()) return false;
    stream_.reset();
    return true;
}

Proof DescriptorLink::prove() noexcept {
    if (gone()) return Proof::gone;
    if (!stream_) return Proof::working;
    if (offered_) return prove_taken();
    if (outstanding_ && !read_cookie()) pool().reject(worker());
    if (outstanding_) return await_cookie();
    return unpassable() ? Proof::gone : Proof::idle;
}

// A worker that has ended its control socket, or reads nothing from it, may run its request to its
// own end.
Proof DescriptorLink::await_cookie() noexcept {
    if (ended_ || nobody_reads(stream_->descriptor())) part();
    retry_later(look_again);
    return Proof::working;
}

// The end of a socket takes what is unread along, and can be seen before that.
Proof DescriptorLink::prove_taken() noexcept {
    const bool unread = stream_->backlog() > all_but_read;
    stream_->look();
    if (unpassable()) return Proof::gone;
    if (unread) return Proof::working;
    offered_ = false;
    shown_ = taken_ = true;
    if (pool().took(worker())) return Proof::idle;
    give_up();
    return Proof::gone;
}

// The control socket has ended: nothing can be passed any more.
bool DescriptorLink::unpassable() noexcept {
    if (!stream_->fin() && !stream_->broken()) return false;
    part_idle();
    return true;
}

// A process that lives on would keep its place for ever.
void DescriptorLink::part_idle() noexcept {
    give_up();
    part();
}

// The cookie comes behind all that the worker writes. Its connection may stay open, in the worker
// or in a process that it has left. Bytes that are no cookie may be left from before: only prove()
// rejects for them, behind the answer.
void DescriptorLink::hear() noexcept {
    if (!outstanding_ || offered_ || !stream_) return;
    if (!read_cookie() || outstanding_ || !exchange_) return;
    heard_ = true;
    exchange_->hang_up();
}

bool DescriptorLink::heard_early() const {
    return heard_ && exchange_ && !exchange_->ended();
}

// False: what came is not the cookie of this worker's request.
bool DescriptorLink::read_cookie() noexcept {
    while (outstanding_) {
        if (answered_ == answer_.size()) return false;
        const auto got = stream_->read_some(std::span(answer_).subspan(answered_));
        ended_ = got.status == net::Io::ended || got.status == net::Io::failed;
        if (got.status != net::Io::ok) return true;
        answered_ += got.bytes;
        if (answered_ < answer_.size()) continue;
        if (answer_ != cookie_) return false;
        outstanding_ = false;
        shown_ = true;
    }
    return true;
}

// The low 32 bits are random and the others zero, as kfcgi's are. Without entropy it is a number
// that differs from the last one.
void DescriptorLink::draw_cookie() {
    std::uint32_t low = 0;
    std::memcpy(&low, cookie_.data(), sizeof(low));
    ++low;
    (void)!::getrandom(&low, sizeof(low), GRND_NONBLOCK);
    const std::uint64_t cookie = low;
    std::memcpy(cookie_.data(), &cookie, sizeof(cookie));
}

bool DescriptorLink::begin() {
    if (std::exchange(taken_, false)) return true;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    Descriptor ours(ends[0]);
    const Descriptor theirs(ends[1]);
    draw_cookie();
    if (::fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) return false;
    if (!pass(stream_->descriptor(), cookie_, theirs.get())) {
        // Nobody reads at the other end, or ever will: the descriptor has reached nobody.
        if (errno == EPIPE || errno == ECONNRESET) part_idle();
        return false;
    }
    outstanding_ = true;
    answered_ = 0;
    heard_ = false;
    exchange_ = upstream().talk_over(loop(), net::SocketStream::take_over(loop(), ours));
    exchange_->observe(observer());
    if (shown_) return true;
    offered_ = true;
    pool().offers(worker());
    return true;
}

void DescriptorLink::observe(Observer* observer) {
    if (stream_) stream_->observe(observer);
}

}  // namespace ticketgate
