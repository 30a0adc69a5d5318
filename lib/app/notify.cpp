#include "app/notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"
#include "base/descriptor.hpp"

namespace ticketgate {

Notify::Notify(const config::Environment& environment)
    : path_(environment("NOTIFY_SOCKET").value_or("")) {}

// MONOTONIC_USEC tells this reload from earlier ones (Type=notify-reload of systemd 253).
void Notify::reloading() const {
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(monotonic_now().time_since_epoch());
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()) + "\n");
}

void Notify::send(std::string_view message) const {
    sockaddr_un to{};
    if (path_.empty() || path_.size() >= sizeof to.sun_path) return;
    to.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), to.sun_path);
    const bool abstract = path_.front() == '@';
    if (abstract) to.sun_path[0] = '\0';
    const auto size = offsetof(sockaddr_un, sun_path) + path_.size() + (abstract ? 0 : 1);
    const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&to), static_cast<socklen_t>(size));
}

}  // namespace ticketgate
