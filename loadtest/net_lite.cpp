#include "net_lite.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace loadtest {

namespace {

constexpr Micros micros_a_second = 1'000'000;
std::atomic<bool> end_asked{false};
std::atomic<bool> finish_asked{false};

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error{what + ": " + std::strerror(errno)};
}

Endpoint resolve_unix(std::string_view path) {
    Endpoint endpoint;
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"socket path too long"};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    std::memcpy(&endpoint.address, &address, sizeof address);
    endpoint.size = sizeof address;
    endpoint.text = "unix:" + std::string{path};
    return endpoint;
}

void set_no_delay(int fd) {
    const int on = 1;
    // Fails on a unix socket, where there is nothing to delay.
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void bind_to(const Fd& fd, const Endpoint& endpoint) {
    const int on = 1;  // the port is chosen with the connection
    (void)setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (::bind(fd.get(), address, endpoint.size) != 0) fail("bind " + endpoint.text);
}

IoResult io_result(ssize_t size) {
    if (size > 0) return {Io::done, static_cast<std::size_t>(size)};
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return {Io::again, 0};
    return {Io::closed, 0};
}

}  // namespace

Micros now_us() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<Micros>(time.tv_sec) * micros_a_second +
           static_cast<Micros>(time.tv_nsec) / 1000;
}

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

void Fd::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

Endpoint resolve(std::string_view text) {
    if (text.starts_with("unix:")) return resolve_unix(text.substr(5));
    const auto colon = text.rfind(':');
    const bool only_port = colon == std::string_view::npos;
    const std::string host{only_port ? "127.0.0.1" : text.substr(0, colon)};
    const std::string port{only_port ? text : text.substr(colon + 1)};
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0 || found == nullptr) {
        throw std::runtime_error{"cannot resolve " + std::string{text}};
    }
    Endpoint endpoint;
    std::memcpy(&endpoint.address, found->ai_addr, found->ai_addrlen);
    endpoint.size = found->ai_addrlen;
    endpoint.text = host + ":" + port;
    freeaddrinfo(found);
    return endpoint;
}

Fd listen_on(const Endpoint& endpoint) {
    const auto family = endpoint.address.ss_family;
    Fd fd{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    const int on = 1;
    (void)setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_UNIX) (void)::unlink(endpoint.text.c_str() + 5);
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (::bind(fd.get(), address, endpoint.size) != 0) fail("bind " + endpoint.text);
    if (::listen(fd.get(), 16384) != 0) fail("listen " + endpoint.text);
    return fd;
}

std::string bound_name(const Fd& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    if (address.ss_family == AF_UNIX) {
        return std::string{"unix:"} + reinterpret_cast<sockaddr_un*>(&address)->sun_path;
    }
    std::array<char, 64> host{};
    std::array<char, 16> port{};
    ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
    return std::string{host.data()} + ":" + port.data();
}

Fd connect_to(const Endpoint& endpoint, int receive_buffer, const Endpoint* from) {
    Fd fd{::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd.open()) fail("socket");
    if (receive_buffer > 0) {
        (void)setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    set_no_delay(fd.get());
    if (from != nullptr) bind_to(fd, *from);
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    const int result = ::connect(fd.get(), address, endpoint.size);
    if (result != 0 && errno != EINPROGRESS) return Fd{};
    return fd;
}

Fd accept_from(const Fd& listener) {
    Fd fd{::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (fd.open()) set_no_delay(fd.get());
    return fd;
}

IoResult receive(const Fd& fd, std::span<char> into) {
    return io_result(::recv(fd.get(), into.data(), into.size(), 0));
}

IoResult transmit(const Fd& fd, std::string_view first, std::string_view second) {
    std::array<iovec, 2> parts{{{const_cast<char*>(first.data()), first.size()},
                                {const_cast<char*>(second.data()), second.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = second.empty() ? 1 : 2;
    return io_result(::sendmsg(fd.get(), &message, MSG_NOSIGNAL));
}

Poller::Poller() : fd_{::epoll_create1(EPOLL_CLOEXEC)} {
    if (!fd_.open()) fail("epoll_create1");
}

void Poller::add(const Fd& fd, std::uint32_t events, void* who) {
    epoll_event event{.events = events, .data = {.ptr = who}};
    if (::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0) fail("epoll_ctl add");
}

void Poller::change(const Fd& fd, std::uint32_t events, void* who) {
    epoll_event event{.events = events, .data = {.ptr = who}};
    if (::epoll_ctl(fd_.get(), EPOLL_CTL_MOD, fd.get(), &event) != 0) fail("epoll_ctl mod");
}

void Poller::remove(const Fd& fd) {
    (void)::epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd.get(), nullptr);
}

std::span<const epoll_event> Poller::wait(int timeout_ms) {
    const int count =
        ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()), timeout_ms);
    return {events_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

Alarms::Alarms() : fd_{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)} {
    if (!fd_.open()) fail("timerfd_create");
}

void Alarms::set(Micros when, std::uint64_t token) {
    entries_.emplace(when, token);
    if (armed_ == 0 || when < armed_) rearm();
}

bool Alarms::take_due(Micros now, std::uint64_t& token) {
    if (entries_.empty() || entries_.top().first > now) return false;
    token = entries_.top().second;
    entries_.pop();
    return true;
}

void Alarms::rearm() {
    // Setting the timer also clears an expiry not yet read, so the descriptor is never read.
    armed_ = entries_.empty() ? 0 : entries_.top().first;
    itimerspec time{};
    time.it_value.tv_sec = static_cast<time_t>(armed_ / micros_a_second);
    time.it_value.tv_nsec = static_cast<long>(armed_ % micros_a_second) * 1000;
    ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

void end_after(unsigned seconds) {
    struct sigaction action {};
    action.sa_handler = [](int) { end_asked = true; };
    for (const int number : {SIGTERM, SIGINT, SIGALRM}) ::sigaction(number, &action, nullptr);
    action.sa_handler = [](int) { finish_asked = true; };
    ::sigaction(SIGUSR1, &action, nullptr);
    ::alarm(seconds);
}

bool finishing() {
    return finish_asked;
}

bool ending() {
    return end_asked;
}

}  // namespace loadtest
