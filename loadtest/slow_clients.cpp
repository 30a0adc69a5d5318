#include "slow_clients.hpp"

#include <algorithm>
#include <array>

#include "text_lite.hpp"

namespace loadtest {

namespace {

constexpr Micros step_us = 1'000'000;
constexpr int small_receive_buffer = 4096;

}  // namespace

void SlowClients::tick(Micros now) {
    if (clients_.size() < plan_.slow_readers + plan_.slow_uploaders) open_next();
    for (auto& one : clients_) {
        if (!one.fd.open() || now < one.next_step_us) continue;
        // The first step comes a tick after connecting, so the connection stands.
        if (one.next_step_us != 0) step(one);
        one.next_step_us = now + (one.head_sent ? step_us : tick_us);
    }
}

void SlowClients::open_next() {
    // Alternates readers and uploaders while both remain.
    const auto opened = clients_.size();
    const auto both = 2 * std::min(plan_.slow_readers, plan_.slow_uploaders);
    const bool reader = opened < both ? opened % 2 == 0 : plan_.slow_readers > plan_.slow_uploaders;
    clients_.push_back({connect_to(plan_.proxy, small_receive_buffer), reader});
}

void SlowClients::step(One& one) const {
    if (!one.head_sent) {
        one.head_sent = transmit(one.fd, head(one.reader)).state == Io::done;
        return;
    }
    if (!one.reader) {
        (void)transmit(one.fd, "u");
        return;
    }
    std::array<char, 4096> buffer{};
    const auto size = std::min<std::size_t>(plan_.slow_reader_bytes, buffer.size());
    if (size > 0) (void)receive(one.fd, std::span{buffer}.first(size));
}

std::string SlowClients::head(bool reader) const {
    std::string out;
    const char mark = plan_.path.find('?') == std::string::npos ? '?' : '&';
    out += (reader ? "GET " : "POST ") + plan_.path + mark;
    print(out, "us=%llu", static_cast<unsigned long long>(plan_.work_us));
    if (reader) print(out, "&size=%llu", static_cast<unsigned long long>(plan_.slow_reader_size));
    out += " HTTP/1.1\r\nHost: " + plan_.host + "\r\n";
    if (!reader) out += "Content-Length: 1000\r\n";
    return out + "\r\n";
}

}  // namespace loadtest
