// Listening sockets that this process was given: by systemd (socket activation), or by the process
// that it takes over from (an upgrade). A listener takes the one that has its address, and opens
// its own if there is none. Control thread.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "config/environment.hpp"
#include "net/endpoint.hpp"
#include "net/listener.hpp"
#include "net/socket_file.hpp"

namespace ticketgate {

class PassedSockets {
 public:
    /// Throws std::runtime_error if it is not a listening stream socket.
    void add(Descriptor socket);
    /// Throws as net::open_listener does. Port 0 means any passed socket of that host. A unix
    /// socket whose file is gone is made again.
    net::Opened open(const net::Endpoint& at);
    /// The addresses of those that no listener has taken, but `kept`.
    std::vector<std::string> left(const std::optional<net::Endpoint>& kept = {}) const;
    /// Closes these, but one with the address of `kept`, and returns their addresses. The old
    /// process of an upgrade has them as well, so this ends the listening itself: TCP clients are
    /// refused at once. Unix sockets, and those of systemd, go on in the process that has them.
    std::vector<std::string> end_left(const std::optional<net::Endpoint>& kept = {});
    /// Removes the files of the unix sockets that end_left() closed: the other process has ended,
    /// so their clients would be refused. Without it they are removed with this object.
    void remove_files() { left_files_.clear(); }

    /// The files of unix sockets are systemd's.
    bool of_systemd = false;

 private:
    struct Socket {
        net::Endpoint at;
        Descriptor descriptor;
    };
    std::vector<Socket> sockets_;
    std::list<net::SocketFile> left_files_;
};

/// The sockets of LISTEN_FDS, if LISTEN_PID is this process. Removes both from the environment, so
/// call it before there are threads.
PassedSockets take_systemd_sockets(const config::Environment& environment);

}  // namespace ticketgate
