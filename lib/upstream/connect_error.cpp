#include "upstream/connect_error.hpp"

#include <cerrno>

namespace ticketgate {
namespace {

// The errors that files and sockets have in common.
std::string of_process(int error) {
    const bool descriptors = error == EMFILE || error == ENFILE;
    return descriptors ? "no file descriptor is free: raise LimitNOFILE in the unit, or the "
                         "container's nofile limit"
                       : "";
}

std::string of_unix(int error) {
    switch (error) {
        case EACCES:
        case EPERM:
            return "add ticketgate's user to the socket's group "
                   "(php-fpm on Debian: www-data); with systemd, put "
                   "SupplementaryGroups=www-data into the [Service] section (systemctl edit "
                   "ticketgate)";
        case ENOENT:
            return "is php-fpm (or another backend) running, is the socket's path "
                   "right?";
        case ECONNREFUSED:
            return "the socket's file is there, but nothing listens on it: is the backend started?";
        case EAGAIN:
            return "the socket's backlog is full: all workers of the backend are busy; raise their "
                   "number (php-fpm: pm.max_children) or the backlog (listen.backlog)";
        case EPROTOTYPE:
            return "this is a socket of another kind (datagrams): is the socket's path right?";
        default:
            return of_process(error);
    }
}

std::string of_ip(const net::Endpoint& at, int error) {
    switch (error) {
        case ECONNREFUSED:
            return "nothing listens on " + at.text() +
                   ": is the backend started, are its address and port right?";
        case ETIMEDOUT:
            return "no answer from " + at.ip() +
                   ": is the machine up, and does a firewall drop connections to port " +
                   std::to_string(at.port()) + "?";
        case EHOSTUNREACH:
        case ENETUNREACH:
            return "no way to " + at.ip() + ": is the address right? `ip route get " + at.ip() +
                   "` shows the route";
        case EACCES:
        case EPERM:
            return "a firewall of this machine, or IPAddressDeny= of the unit, forbids it";
        case EADDRNOTAVAIL:
            return "no local port is free: raise max_idle of the upstream, so that connections are "
                   "used again, or widen net.ipv4.ip_local_port_range";
        case EAFNOSUPPORT:
            return "this machine or the unit (RestrictAddressFamilies=) has no such addresses";
        default:
            return of_process(error);
    }
}

}  // namespace

std::string connect_remedy(const net::Endpoint& at, int error) {
    return at.is_unix() ? of_unix(error) : of_ip(at, error);
}

std::string resolve_remedy(std::string_view host) {
    const std::string name(host);
    return "is the name right, and does this machine's DNS or /etc/hosts know it? `getent hosts " +
           name + "` asks the same";
}

}  // namespace ticketgate
