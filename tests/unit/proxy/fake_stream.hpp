// A client's connection without a socket: delivers and accepts as many bytes as a test allows.
#pragma once

#include <algorithm>
#include <string>

#include "net/stream.hpp"

namespace ticketgate {

class FakeStream final : public net::Stream {
 public:
    net::IoResult read_some(std::span<char> into) override {
        const std::size_t n = std::min({into.size(), incoming.size(), most_at_once});
        if (n == 0) return {end, 0, 0};
        std::copy_n(incoming.data(), n, into.data());
        incoming.erase(0, n);
        return {net::Io::ok, n, 0};
    }
    net::IoResult write_some(std::span<const iovec> pieces) override {
        ++writes;
        if (broken_) return {net::Io::failed, 0, EPIPE};
        std::size_t left = std::min(room, most_at_once), taken = 0;
        for (const iovec& piece : pieces) {
            const std::size_t n = std::min(left, piece.iov_len);
            outgoing.append(static_cast<const char*>(piece.iov_base), n);
            left -= n;
            taken += n;
        }
        room -= taken;
        if (taken == 0) return {net::Io::blocked, 0, 0};
        return {net::Io::ok, taken, 0};
    }
    void finish_writing() override {}
    void detach() override {}
    void attach(net::Loop&) override {}
    void breaks() { broken_ = true; }

    std::string incoming;                // not read yet
    net::Io end = net::Io::blocked;      // the status after `incoming`
    std::string outgoing;                // the bytes written
    std::size_t room = ~std::size_t{0};  // bytes that it still accepts
    std::size_t most_at_once = ~std::size_t{0};
    int writes = 0;
};

struct Ear final : Observer {
    void notify() override { ++heard; }
    int take() { return std::exchange(heard, 0); }
    int heard = 0;
};

}  // namespace ticketgate
