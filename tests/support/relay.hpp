// A TCP relay that the test cuts: between a process and its store. Its connections end, and new
// ones are refused, until it goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "support/program.hpp"

namespace ticketgate::test {

/// socat as a child process.
class Relay {
 public:
    Relay(std::uint16_t from, std::uint16_t to) : from_(from), to_(to) { go_on(); }

    std::uint16_t port() const { return from_; }
    void cut() { relay_.reset(); }
    void go_on() {
        const auto port = std::to_string(from_);
        relay_ = std::make_unique<Program>(
            "socat",
            std::vector<std::string>{"TCP-LISTEN:" + port + ",bind=127.0.0.1,fork,reuseaddr",
                                     "TCP:127.0.0.1:" + std::to_string(to_)});
    }

 private:
    const std::uint16_t from_, to_;
    std::unique_ptr<Program> relay_;
};

}  // namespace ticketgate::test
