#include "net/listen_error.hpp"

#include <cerrno>
#include <filesystem>

namespace ticketgate::net {
namespace {

constexpr std::uint16_t first_free_port = 1024;  // net.ipv4.ip_unprivileged_port_start

std::string folder_of(const Endpoint& at) {
    const auto folder = std::filesystem::path(at.path()).parent_path();
    return folder.empty() ? "." : folder.string();
}

std::string of_unix(const Endpoint& at, int error) {
    switch (error) {
        case EADDRINUSE:
            return "another process listens on this socket, the file is not a socket, or "
                   "ticketgate's user may not connect to it and remove it";
        case ENOENT:
            return "create the folder " + folder_of(at);
        case EACCES:
        case EPERM:
        case EROFS:
            return "let ticketgate's user create files in " + folder_of(at);
        default:
            return {};
    }
}

std::string of_ip(const Endpoint& at, int error) {
    switch (error) {
        case EACCES:
            if (at.port() >= first_free_port) return {};
            return "ports below 1024 need CAP_NET_BIND_SERVICE: with systemd, put "
                   "AmbientCapabilities=CAP_NET_BIND_SERVICE and "
                   "CapabilityBoundingSet=CAP_NET_BIND_SERVICE into the [Service] section "
                   "(systemctl edit ticketgate), or listen on a port from 1024 up";
        case EADDRINUSE:
            return "another process listens on this port, or a connection has it as its local "
                   "port; ss -tanp 'sport = :" +
                   std::to_string(at.port()) + "' names it";
        case EADDRNOTAVAIL:
            return "no interface of this machine has this address; 0.0.0.0 and [::] stand for all";
        case EAFNOSUPPORT:
            return "this machine has no IPv6; 0.0.0.0 stands for all IPv4 addresses";
        default:
            return {};
    }
}

}  // namespace

std::string listen_remedy(const Endpoint& at, int error) {
    return at.is_unix() ? of_unix(at, error) : of_ip(at, error);
}

ListenError::ListenError(const Endpoint& at, int error)
    : std::system_error(error, std::system_category(), "cannot listen on " + at.text()),
      text_(std::system_error::what()) {
    const auto remedy = listen_remedy(at, error);
    if (!remedy.empty()) text_ += ": " + remedy;
}

}  // namespace ticketgate::net
