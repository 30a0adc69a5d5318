#include "net/listener.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "net/listen_error.hpp"

namespace ticketgate::net {
namespace {

constexpr int accepts_at_once = 64;
// Connections that may wait to be accepted; the system may allow fewer.
constexpr int longest_backlog = 4096;
// The pause after EMFILE and similar errors.
constexpr Duration accept_pause = 100ms;

// Errors of one connection only: the next one can be accepted.
bool concerns_one(int error) {
    return error == ECONNABORTED || error == EINTR;
}

// All others are of the process or the system: accept fails until a descriptor or memory is freed,
// and the connection still waits. Without a pause the loop would try in a circle.
bool needs_pause(int error) {
    return error != 0 && error != EAGAIN && !concerns_one(error);
}

}  // namespace

void remove_stale_socket(const Endpoint& at) {
    struct stat about {};
    if (::lstat(at.path(), &about) != 0 || !S_ISSOCK(about.st_mode)) return;
    // EAGAIN: the backlog of a process that listens is full.
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (::connect(probe, at.address(), at.size()) != 0 && errno == ECONNREFUSED)
        ::unlink(at.path());
    ::close(probe);
}

Descriptor open_listener(const Endpoint& at) {
    if (at.is_unix()) remove_stale_socket(at);
    Descriptor socket(::socket(at.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) throw ListenError(at, errno);  // before another call sets errno
    const int on = 1, off = 0;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    // [::] also takes IPv4, as users expect.
    if (at.family() == AF_INET6)
        setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    // The mode of a unix socket is set before anybody can connect, whatever the umask is.
    if (::bind(socket.get(), at.address(), at.size()) != 0 ||
        (at.is_unix() && ::chmod(at.path(), 0660) != 0) ||
        ::listen(socket.get(), longest_backlog) != 0)
        throw ListenError(at, errno);
    return socket;
}

void listen_again(int socket) {
    (void)::listen(socket, longest_backlog);
}

Listener::Listener(Loop& loop, const Endpoint& at, Accepted accepted,
                   std::function<void(int)> report, std::function<void()> knocked, int shut_at,
                   const OpenListener& open)
    : loop_(loop),
      local_(at),
      accepted_(std::move(accepted)),
      report_(std::move(report)),
      shut_at_(shut_at),
      retry_(*this),
      knocked_(std::move(knocked)) {
    Opened opened = open(at);
    descriptor_ = opened.socket.release();
    if (!at.is_unix()) {
        socklen_t size = sizeof(sockaddr_storage);
        getsockname(descriptor_, local_.address(), &size);
        local_.set_size(size);
    }
    file_.emplace(local_, !opened.passed);
    update();
}

Listener::~Listener() {
    if (listening_) loop_.remove(descriptor_);
    ::close(descriptor_);
}

void Listener::hold() {
    door_ = Door::held;
    update();
}

void Listener::pause() {
    door_ = Door::shut;
    update();
}

void Listener::resume() {
    door_ = Door::open;
    starved_ = false;
    update();
}

void Listener::notify() {
    if (!has_room()) return starve(EMFILE);
    starved_ = tight_ = false;
    update();
}

bool Listener::has_room() const {
    const int lowest_free = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (lowest_free >= 0) ::close(lowest_free);
    return lowest_free >= 0 && lowest_free < shut_at_;
}

// Listens unless the owner has shut the door or descriptors have run out.
void Listener::update() {
    const bool wanted = door_ != Door::shut && !starved_;
    if (wanted == listening_) return;
    listening_ = wanted && loop_.add(*this, descriptor_, EPOLLIN);
    if (!wanted) loop_.remove(descriptor_);
    if (wanted && !listening_) starve(errno);
}

// Stops accepting for a pause: another try can succeed only when something has been freed.
void Listener::starve(int error) {
    starved_ = tight_ = true;
    report_(error);
    loop_.arm(retry_, accept_pause);
}

void Listener::look() {
    if (listening_ && door_ == Door::open) on_events(0);
}

bool Listener::look_for_none() {
    const Time before = monotonic_now();
    pollfd backlog{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (::poll(&backlog, 1, 0) != 0) return false;
    note_empty(before);
    return true;
}

void Listener::note_empty(Time at) {
    Time seen = empty_;
    while (seen < at && !empty_.compare_exchange_weak(seen, at)) continue;
}

void Listener::on_events(std::uint32_t) {
    if (door_ == Door::held) {
        pause();
        if (knocked_) knocked_();
        return;
    }
    int error = 0;
    for (int i = 0; i < accepts_at_once && listening_ && door_ == Door::open; ++i) {
        const Time before = monotonic_now();
        error = accept_one();
        if (error == EAGAIN) note_empty(before);
        if (error != 0 && !concerns_one(error)) break;
    }
    if (!needs_pause(error)) return;
    starve(error);
    update();
}

// Returns 0 or an errno. EMFILE also after a connection that took the last descriptor it may use.
// Soon after that it looks for a free one first, or each freed descriptor would let two in.
int Listener::accept_one() {
    if (tight_ && !has_room()) return EMFILE;
    Endpoint peer;
    socklen_t size = sizeof(sockaddr_storage);
    arrived_after_ = empty_;  // before accept(): this connection came after that time
    const int accepted =
        ::accept4(descriptor_, peer.address(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return errno;
    peer.set_size(size);
    hand_over(accepted, peer);
    return accepted < shut_at_ ? 0 : EMFILE;
}

void Listener::hand_over(int accepted, const Endpoint& peer) {
    Descriptor descriptor(accepted);
    try {
        accepted_(descriptor, peer, local_);
    } catch (const std::bad_alloc&) {
        report_(ENOMEM);
    }
}

}  // namespace ticketgate::net
