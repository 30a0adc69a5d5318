#include "fetch.hpp"

#include <poll.h>

#include <array>
#include <stdexcept>

#include "http_lite.hpp"
#include "net_lite.hpp"

namespace loadtest {

namespace {

constexpr int time_limit_ms = 30'000;

void await(const Fd& fd, short events) {
    pollfd entry{fd.get(), events, 0};
    if (::poll(&entry, 1, time_limit_ms) <= 0) throw std::runtime_error{"the backend is silent"};
}

}  // namespace

std::string fetch(const std::string& address, std::string_view target, std::string_view method) {
    const auto fd = connect_to(resolve(address));
    if (!fd.open()) throw std::runtime_error{"no backend at " + address};
    await(fd, POLLOUT);
    const auto request = std::string{method} + " " + std::string{target} +
                         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                         "Connection: close\r\n\r\n";
    if (transmit(fd, request).state != Io::done) throw std::runtime_error{"no backend"};
    std::string answer;
    std::array<char, 64UL * 1024> buffer{};
    while (true) {
        await(fd, POLLIN);
        const auto got = receive(fd, buffer);
        if (got.state == Io::closed) break;
        answer.append(buffer.data(), got.size);
    }
    ResponseHead head;
    if (scan(answer, head) != Scan::whole || head.status != 200) {
        throw std::runtime_error{"the backend did not answer " + std::string{target}};
    }
    return answer.substr(head.size);
}

std::uint64_t json_number(std::string_view json, std::string_view name, std::uint64_t otherwise) {
    const auto at = json.find("\"" + std::string{name} + "\":");
    return at == std::string_view::npos ? otherwise
                                        : to_number(json.substr(at + name.size() + 3), otherwise);
}

}  // namespace loadtest
