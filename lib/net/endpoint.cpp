#include "net/endpoint.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <cstring>

namespace ticketgate::net {
namespace {

const sockaddr_in& as_v4(const Endpoint& e) {
    return *reinterpret_cast<const sockaddr_in*>(e.address());
}
const sockaddr_in6& as_v6(const Endpoint& e) {
    return *reinterpret_cast<const sockaddr_in6*>(e.address());
}

}  // namespace

Endpoint::Endpoint(const sockaddr* address, socklen_t size) : size_(size) {
    std::memcpy(&storage_, address, size);
}

std::optional<Endpoint> Endpoint::from_ip(std::string_view host, std::uint16_t port) {
    if (host.size() > 1 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    const std::string text(host);
    sockaddr_in v4{};
    if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        return Endpoint(reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
    }
    sockaddr_in6 v6{};
    if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        return Endpoint(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
    }
    return std::nullopt;
}

std::optional<Endpoint> Endpoint::from_unix(std::string_view path) {
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof(address.sun_path)) return std::nullopt;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto size = offsetof(sockaddr_un, sun_path) + path.size() + 1;
    return Endpoint(reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
}

std::uint16_t Endpoint::port() const {
    if (family() == AF_INET) return ntohs(as_v4(*this).sin_port);
    if (family() == AF_INET6) return ntohs(as_v6(*this).sin6_port);
    return 0;
}

const char* Endpoint::path() const {
    return reinterpret_cast<const sockaddr_un*>(address())->sun_path;
}

// Both families keep the port at the same place.
Endpoint Endpoint::with_port(std::uint16_t port) const {
    Endpoint other = *this;
    auto* const address = reinterpret_cast<sockaddr_in*>(other.address());
    address->sin_port = htons(port);
    return other;
}

std::string Endpoint::ip() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family() == AF_INET)
        return inet_ntop(AF_INET, &as_v4(*this).sin_addr, text.data(), text.size());
    if (family() != AF_INET6) return std::string(unix_peer);
    const in6_addr& address = as_v6(*this).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&address))
        return inet_ntop(AF_INET, &address.s6_addr[12], text.data(), text.size());
    return inet_ntop(AF_INET6, &address, text.data(), text.size());
}

bool Endpoint::operator==(const Endpoint& other) const {
    return size_ == other.size_ && std::memcmp(&storage_, &other.storage_, size_) == 0;
}

bool Endpoint::is_local() const {
    if (family() == AF_INET) return (ntohl(as_v4(*this).sin_addr.s_addr) >> 24) == 127;
    if (family() != AF_INET6) return is_unix();
    const auto& bytes = as_v6(*this).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&bytes) ||
           (IN6_IS_ADDR_V4MAPPED(&bytes) && bytes.s6_addr[12] == 127);
}

std::string Endpoint::text() const {
    if (is_unix()) return std::string("unix:") + path();
    const std::string host = ip();
    const bool brackets = host.find(':') != std::string::npos;
    return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

}  // namespace ticketgate::net
