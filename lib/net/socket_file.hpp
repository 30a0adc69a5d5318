// The file of a unix socket that listens. Clients find the socket by it, and the process that owns
// it removes it at its end. During an upgrade two processes have the socket, and one of them owns
// the file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <utility>

#include "net/endpoint.hpp"

namespace ticketgate::net {

class SocketFile {
 public:
    /// Notes the file that is there now. `made`: by this process, which owns it. An Internet
    /// address has none.
    SocketFile(const Endpoint& at, bool made);
    ~SocketFile();
    SocketFile(const SocketFile&) = delete;
    SocketFile& operator=(const SocketFile&) = delete;

    /// It was made by a process that has ended, or is about to.
    void own() { owner_ = Owner::this_process; }
    /// Another process owns it from now on.
    void lend();
    /// That process has ended: what lend() gave away is this process's again.
    void take_back();
    /// False: it is gone, so no client finds the socket, or another one has its name.
    bool there() const;

 private:
    enum class Owner : std::uint8_t { another, this_process, borrower };
    const Endpoint at_;
    const std::pair<dev_t, ino_t> noted_;
    Owner owner_;
};

}  // namespace ticketgate::net
