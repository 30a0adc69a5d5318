// A socket address as a value: IPv4, IPv6 or a unix path.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ticketgate::net {

/// The value of Endpoint::ip() for a peer on a unix socket.
inline constexpr std::string_view unix_peer = "unix";

class Endpoint {
 public:
    Endpoint() = default;
    Endpoint(const sockaddr* address, socklen_t size);

    /// From a literal address; nullopt when `host` is a name or nonsense. Brackets around IPv6 are
    /// optional.
    static std::optional<Endpoint> from_ip(std::string_view host, std::uint16_t port);
    /// Path of at most 107 bytes.
    static std::optional<Endpoint> from_unix(std::string_view path);

    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    sockaddr* address() { return reinterpret_cast<sockaddr*>(&storage_); }
    socklen_t size() const { return size_; }
    void set_size(socklen_t size) { size_ = size; }

    /// The same address and port.
    bool operator==(const Endpoint& other) const;

    int family() const { return storage_.ss_family; }
    bool is_unix() const { return family() == AF_UNIX; }
    /// A unix socket, or a loopback address: the peer is a process of this machine.
    bool is_local() const;
    std::uint16_t port() const;
    /// Requires is_unix().
    const char* path() const;
    /// The same host at another port. An Internet address only.
    Endpoint with_port(std::uint16_t port) const;
    /// `10.0.0.1`, `::1` (an IPv4-mapped address as IPv4), `unix`.
    std::string ip() const;
    /// `10.0.0.1:80`, `[::1]:80`, `unix:/path`.
    std::string text() const;

 private:
    sockaddr_storage storage_{};
    socklen_t size_ = sizeof(sockaddr_storage);
};

}  // namespace ticketgate::net
