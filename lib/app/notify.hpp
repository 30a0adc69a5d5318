// Tells systemd (Type=notify) the state of the process: one datagram to the socket in
// NOTIFY_SOCKET. Does nothing without that variable. Owned by App; control thread.
#pragma once

#include <string>
#include <string_view>

#include "config/environment.hpp"

namespace ticketgate {

class Notify {
 public:
    /// Reads the socket's path; a path that begins with @ is in Linux's abstract namespace.
    explicit Notify(const config::Environment& environment);

    // A message that systemd does not accept is lost; only systemd's view depends on it.
    void ready() const { send("READY=1\nSTATUS=serving\n"); }
    void reloading() const;
    /// The service goes on in this process.
    void main_process(int pid) const { send("MAINPID=" + std::to_string(pid) + "\n"); }
    void stopping() const { send("STOPPING=1\nSTATUS=draining\n"); }

 private:
    void send(std::string_view message) const;
    const std::string path_;
};

}  // namespace ticketgate
