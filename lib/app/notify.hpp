// Tells systemd (Type=notify) what the process does: one datagram to the socket that NOTIFY_SOCKET
// names. Without the variable, nothing. Owned by App; control thread.
#pragma once

#include <string>
#include <string_view>

#include "config/environment.hpp"

namespace ticketgate {

class Notify {
 public:
    /// The socket's path; one that begins with @ lies in Linux's abstract namespace.
    explicit Notify(const config::Environment& environment);

    // A message that systemd does not take is lost: nothing depends on it but systemd's own view.
    void ready() const { send("READY=1\nSTATUS=serving\n"); }
    void reloading() const;
    void stopping() const { send("STOPPING=1\nSTATUS=draining\n"); }

 private:
    void send(std::string_view message) const;
    const std::string path_;
};

}  // namespace ticketgate
