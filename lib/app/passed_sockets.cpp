#include "app/passed_sockets.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace ticketgate {
namespace {

constexpr int first_of_systemd = 3;
// Of LISTEN_FDS; a listener of the config takes one each.
constexpr int most_of_systemd = 4096;

int option(int descriptor, int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    return ::getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

bool is(const net::Endpoint& passed, const net::Endpoint& wanted) {
    if (passed.family() != wanted.family()) return false;
    const bool any_port = !wanted.is_unix() && wanted.port() == 0;
    return (any_port ? passed.with_port(0) : passed).text() == wanted.text();
}

int number(const std::optional<std::string>& text) {
    return text ? std::atoi(text->c_str()) : 0;
}

}  // namespace

void PassedSockets::add(Descriptor socket) {
    const int fd = socket.get();
    Socket passed{{}, std::move(socket)};
    socklen_t size = sizeof(sockaddr_storage);
    if (::getsockname(fd, passed.at.address(), &size) != 0 || option(fd, SO_ACCEPTCONN) != 1 ||
        option(fd, SO_TYPE) != SOCK_STREAM)
        throw std::runtime_error("descriptor " + std::to_string(fd) +
                                 " was passed as a listening socket, but is none");
    passed.at.set_size(size);
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    sockets_.push_back(std::move(passed));
}

net::Opened PassedSockets::open(const net::Endpoint& at) {
    const auto found =
        std::ranges::find_if(sockets_, [&at](const Socket& one) { return is(one.at, at); });
    if (found == sockets_.end()) return net::open_listener(at);
    const bool lost = !of_systemd && !net::SocketFile(found->at, false).there();
    Descriptor taken = std::move(found->descriptor);
    sockets_.erase(found);
    if (lost) return net::open_listener(at);
    if (!of_systemd) net::listen_again(taken.get());
    return {std::move(taken), true};
}

std::vector<std::string> PassedSockets::left(const std::optional<net::Endpoint>& kept) const {
    std::vector<std::string> addresses;
    for (const auto& one : sockets_)
        if (!kept || !is(one.at, *kept)) addresses.push_back(one.at.text());
    return addresses;
}

std::vector<std::string> PassedSockets::end_left(const std::optional<net::Endpoint>& kept) {
    const auto ends = std::partition(sockets_.begin(), sockets_.end(), [&kept](const Socket& one) {
        return kept && is(one.at, *kept);
    });
    std::vector<std::string> addresses;
    for (auto one = ends; one != sockets_.end(); ++one) {
        addresses.push_back(one->at.text());
        if (of_systemd) continue;
        if (one->at.is_unix())
            left_files_.emplace_back(one->at, true);
        else
            (void)::shutdown(one->descriptor.get(), SHUT_RD);
    }
    sockets_.erase(ends, sockets_.end());
    return addresses;
}

PassedSockets take_systemd_sockets(const config::Environment& environment) {
    PassedSockets sockets;
    const bool ours = number(environment("LISTEN_PID")) == ::getpid();
    const int count = ours ? std::min(number(environment("LISTEN_FDS")), most_of_systemd) : 0;
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
    for (int i = 0; i < count; ++i) sockets.add(Descriptor(first_of_systemd + i));
    sockets.of_systemd = count > 0;
    return sockets;
}

}  // namespace ticketgate
