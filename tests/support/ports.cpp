#include "support/ports.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "base/descriptor.hpp"

namespace ticketgate::test {
namespace {

constexpr std::uint16_t first = 14000, last = 19999;

// The kernel frees an abstract name when the last descriptor of its socket is closed.
bool claims(const Descriptor& claim, std::uint16_t port) {
    const std::string name = "ticketgate-test-port-" + std::to_string(port);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::ranges::copy(name, at.sun_path + 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return ::bind(claim.get(), reinterpret_cast<sockaddr*>(&at), size) == 0;
}

bool is_free(std::uint16_t port) {
    const Descriptor tried(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::bind(tried.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
}

std::uint16_t reserve() {
    static std::vector<Descriptor> reserved;
    std::vector<std::uint16_t> all(last - first + 1);
    std::iota(all.begin(), all.end(), first);
    std::ranges::shuffle(all, std::random_device());
    for (const std::uint16_t port : all) {
        Descriptor claim(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!claims(claim, port) || !is_free(port)) continue;
        reserved.push_back(std::move(claim));
        return port;
    }
    throw std::runtime_error("no port is free");
}

}  // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
    std::vector<std::uint16_t> ports(count);
    std::ranges::generate(ports, reserve);
    return ports;
}

}  // namespace ticketgate::test
