#include "simulation/wire.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "simulation/clock.hpp"
#include "simulation/memory.hpp"

namespace ticketgate::sim {

Link& Network::connection(bool connecting, std::size_t capacity) {
    links_.push_back(std::make_unique<Link>(*this, links_.size(), connecting, capacity));
    return *links_.back();
}

// ── the actor's end ──

std::unique_ptr<SimStream> Link::stream(net::Loop& loop) {
    const memory::Running world(false);
    return std::make_unique<SimStream>(*this, loop);
}

void Link::raise() {
    if (untold_ || stream_ == nullptr || stream_->loop_ == nullptr) return;
    untold_ = true;
    network_.untold[stream_->loop_->index()].push_back(this);
}

void Link::tell() {
    untold_ = false;
    if (stream_ != nullptr) stream_->on_events();
}

void Link::wake_peer() {
    if (peer != nullptr) peer->wake();
}

void Link::accept() {
    connecting_ = false;
    raise();
}

void Link::refuse() {
    connecting_ = false;
    abort();
}

std::size_t Link::room() const {
    return to_proxy_.size() < capacity_ ? capacity_ - to_proxy_.size() : 0;
}

std::size_t Link::send(std::string_view bytes) {
    if (proxy_gone_) {  // bytes for a closed socket are answered with RST
        reset_to_peer_ = true;
        return bytes.size();
    }
    const std::size_t n = std::min(bytes.size(), room());
    to_proxy_.append(bytes.substr(0, n));
    if (n != 0) raise();
    return n;
}

std::string Link::receive(std::size_t most) {
    std::string out = from_proxy_.substr(0, most);
    from_proxy_.erase(0, out.size());
    acknowledged_ -= std::min(acknowledged_, out.size());
    if (proxy_wants_room_ && has_room()) {
        proxy_wants_room_ = false;
        raise();
    }
    return out;
}

void Link::finish() {
    peer_fin_ = true;
    acknowledged_ = from_proxy_.size();
    raise();
}

void Link::close() {
    if (peer_closed_) return;
    if (!from_proxy_.empty()) return abort();
    peer_closed_ = true;
    finish();
}

// Bytes delivered before a reset can still be read (Linux keeps the receive queue); and a reset
// behind a FIN is another error than one without.
void Link::abort() {
    if (!reset_) error_ = peer_fin_ ? EPIPE : ECONNRESET;
    peer_closed_ = reset_ = true;
    from_proxy_.clear();
    acknowledged_ = 0;
    raise();
}

// The last acknowledgements of what the peer's system took may be lost as well.
void Link::lose() {
    if (network_.random.chance(50)) lost_ = given_;
    error_ = ETIMEDOUT;
    peer_closed_ = reset_ = true;
    raise();
}

// ── the proxy's end ──

SimStream::SimStream(Link& link, net::Loop& loop)
    : link_(link), loop_(&loop), connecting_(link.connecting_) {
    link_.stream_ = this;
    link_.moved_ = clock.now;
    ++link_.network_.open_ends;
    if (connecting_)
        writable_ = false;
    else
        link_.raise();
}

// Closing with bytes unread, or on purpose, resets: the peer may lose what it has not received yet.
SimStream::~SimStream() {
    const memory::Running world(false);
    if (loop_ != nullptr) std::erase(link_.network_.untold[loop_->index()], &link_);
    --link_.network_.open_ends;
    link_.stream_ = nullptr;
    link_.proxy_gone_ = link_.proxy_fin_ = true;
    link_.quiet_at_close_ = clock.now - link_.moved_;
    if (abort_ || !link_.to_proxy_.empty()) {
        link_.reset_to_peer_ = true;
        auto& bytes = link_.from_proxy_;
        bytes.resize(link_.network_.random.below(bytes.size() + 1));
        link_.acknowledged_ = std::min(link_.acknowledged_, bytes.size());
    }
    link_.network_.trace.note('L', link_.id_, 3, [] { return std::string("proxy closes"); });
    if (link_.peer != nullptr) link_.peer->proxy_closed();
    link_.wake_peer();
}

net::IoResult SimStream::failed() {
    const int error = std::exchange(link_.error_, 0);
    given_up_ = given_up_ || error == ETIMEDOUT;
    return {net::Io::failed, 0, error};
}

net::IoResult SimStream::connected() {
    if (!connecting_) return {};
    if (!writable_ && !broken_) return {net::Io::blocked, 0, 0};
    if (link_.error_ != 0) return failed();
    connecting_ = false;
    return {};
}

bool SimStream::stale() {
    const memory::Running world(false);
    link_.network_.interrupt();
    return readable_ || fin_ || broken_ || !link_.to_proxy_.empty() || link_.end_known();
}

void SimStream::look() {
    const memory::Running world(false);
    link_.network_.interrupt();
    if (!link_.to_proxy_.empty()) readable_ = true;
    if (link_.end_known()) fin_ = readable_ = true;
    if (link_.reset_ || (link_.peer_fin_ && link_.proxy_fin_)) broken_ = true;
}

net::IoResult SimStream::read_some(std::span<char> into) {
    const memory::Running world(false);
    if (!readable_) return {net::Io::blocked, 0, 0};
    link_.network_.interrupt();
    auto& bytes = link_.to_proxy_;
    if (given_up_) return {net::Io::failed, 0, ETIMEDOUT};
    if (bytes.empty()) {
        if (link_.error_ != 0) return failed();
        if (link_.end_known()) return {net::Io::ended, 0, 0};
        readable_ = false;
        return {net::Io::blocked, 0, 0};
    }
    const std::size_t n = std::min(into.size(), bytes.size());
    std::copy_n(bytes.data(), n, into.data());
    bytes.erase(0, n);
    if (n < into.size() && !fin_ && !broken_) readable_ = false;
    link_.taken_ += n;
    link_.moved_ = clock.now;
    link_.network_.trace.note('L', link_.id_, n,
                              [&] { return "proxy reads " + std::to_string(n); });
    if (link_.peer != nullptr) link_.peer->taken(link_.taken_);
    link_.wake_peer();
    return {net::Io::ok, n, 0};
}

// To a peer that closed, a write still succeeds; the reset it provokes is what comes next.
net::IoResult SimStream::write_some(std::span<const iovec> pieces) {
    const memory::Running world(false);
    if (!writable_) return {net::Io::blocked, 0, 0};
    link_.network_.interrupt();
    if (link_.reset_) {
        return link_.error_ != 0 ? failed() : net::IoResult{net::Io::failed, 0, EPIPE};
    }
    if (link_.sealed_) return {net::Io::failed, 0, EACCES};
    std::string bytes;
    for (const iovec& piece : pieces)
        bytes.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
    if (link_.peer_closed_) {
        if (link_.peer != nullptr) link_.peer->lost(bytes);
        link_.lost_ += bytes.size();
        link_.abort();
        return {net::Io::ok, bytes.size(), 0};
    }
    auto& pipe = link_.from_proxy_;
    const std::size_t room = pipe.size() < link_.capacity_ ? link_.capacity_ - pipe.size() : 0;
    const std::size_t n = std::min(room, bytes.size());
    if (n < bytes.size()) {
        writable_ = false;
        link_.proxy_wants_room_ = true;
    }
    if (n == 0) return {net::Io::blocked, 0, 0};
    pipe.append(bytes, 0, n);
    link_.given_ += n;
    link_.moved_ = clock.now;
    link_.network_.trace.note('L', link_.id_, n << 1 | 1,
                              [&] { return "proxy writes " + std::to_string(n); });
    if (link_.peer != nullptr) link_.peer->written(std::string_view(bytes).substr(0, n));
    link_.wake_peer();
    return {net::Io::ok, n, 0};
}

void SimStream::finish_writing() {
    const memory::Running world(false);
    link_.proxy_fin_ = true;
    link_.network_.trace.note('L', link_.id_, 5, [] { return std::string("proxy sends fin"); });
    if (link_.peer_fin_) link_.raise();  // both ways closed: a hang-up
    link_.wake_peer();
}

void SimStream::detach() {
    const memory::Running world(false);
    std::erase(link_.network_.untold[loop_->index()], &link_);
    link_.untold_ = false;
    loop_ = nullptr;
}

void SimStream::attach(net::Loop& loop) {
    const memory::Running world(false);
    loop_ = &loop;
    link_.raise();
}

// What epoll would report now, as SocketStream takes it.
void SimStream::on_events() {
    const memory::Running world(false);
    if (link_.connecting_) return;
    const bool hung_up = link_.reset_ || (link_.peer_fin_ && link_.proxy_fin_);
    if (hung_up) {
        broken_ = link_.error_ != 0 || !connecting_;
        readable_ = writable_ = true;
    }
    if (link_.end_known()) fin_ = readable_ = true;
    if (!link_.to_proxy_.empty()) readable_ = true;
    if (link_.has_room()) writable_ = true;
    link_.network_.trace.note('L', link_.id_, 7, [&] {
        return std::string("event") + (fin_ ? " fin" : "") + (broken_ ? " broken" : "") +
               (readable_ ? " in" : "");
    });
    if (observer_ != nullptr) observer_->notify();
}

}  // namespace ticketgate::sim
