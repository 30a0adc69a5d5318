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
                   "(php-fpm on Debian: www-data), and let it enter the folders of the path; with "
                   "systemd, put "
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
            return "this is a datagram socket: is the socket's path right?";
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
            return "no route to " + at.ip() + ": is the address right? `ip route get " + at.ip() +
                   "` shows the route";
        case EACCES:
        case EPERM:
            return "a firewall on this machine, or IPAddressDeny= in the unit, forbids the "
                   "connection";
        case EADDRNOTAVAIL:
            return "no local port is free: raise max_idle of the upstream, so that connections are "
                   "used again, or widen net.ipv4.ip_local_port_range";
        case EAFNOSUPPORT:
            return "this machine does not support such addresses, or RestrictAddressFamilies= in "
                   "the unit forbids them";
        default:
            return of_process(error);
    }
}

}  // namespace

std::string connect_remedy(const net::Endpoint& at, int error) {
    return at.is_unix() ? of_unix(error) : of_ip(at, error);
}

std::string tls_remedy(std::string_view fault, std::string_view address) {
    const auto says = [&](std::string_view part) { return fault.find(part) != fault.npos; };
    if (says("self-signed") || says("self signed") || says("local issuer") ||
        says("verify the first certificate"))
        return "for a CA of your own, set the file with its certificate: tls: {ca_file: …}";
    if (says("mismatch"))
        return "set the name that is in the certificate: tls: {server_name: …}; `openssl s_client "
               "-connect " +
               std::string(address) + "` shows it";
    if (says("wrong version number") || says("record layer failure") || says("http request"))
        return "the backend does not speak TLS on this port: write url: http://, or its TLS port";
    return {};
}

std::string protocol_remedy(bool fcgi, int first_byte, std::string_view address) {
    constexpr int fcgi_version = 1, tls_alert = 0x15, tls_handshake = 0x16;
    const bool tcp = !address.starts_with("unix:");
    const std::string at(tcp ? address : address.substr(5));
    if (fcgi && (first_byte == no_byte || first_byte == fcgi_version)) return {};
    if (fcgi)
        return (first_byte == 'H' ? "the backend speaks HTTP: write url: "
                                  : "the backend does not speak FastCGI; if it speaks HTTP, "
                                    "write url: ") +
               (tcp ? "http://" + at : "unix:" + at) + " and remove fastcgi:";
    const std::string php =
        "url: " + (tcp ? "fastcgi://" + at : "fastcgi+unix:" + at) + " with fastcgi: {root: …}";
    if (first_byte == fcgi_version) return "the backend speaks FastCGI: write " + php;
    if (first_byte == tls_alert || first_byte == tls_handshake)
        return "the backend speaks TLS: write url: https://" + at;
    if (first_byte == no_byte)
        return "the backend closed the connection without an answer: if php-fpm listens there, "
               "write " +
               php + "; otherwise see the backend's log";
    return {};
}

std::string resolve_remedy(std::string_view host) {
    const std::string name(host);
    return "is the name right? `getent hosts " + name +
           "` shows whether DNS or /etc/hosts of this machine has it";
}

}  // namespace ticketgate
