// The pipe of a worker, and which request has written what is in it. The control thread reads it;
// the loop that holds the worker says when a request begins and ends. One mutex.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "spawn/authors.hpp"

namespace ticketgate::spawn {

class Written {
 public:
    /// `wake` runs on a loop: the request has ended whose line is not complete.
    Written(int pipe, std::function<void()> wake) : pipe_(pipe), wake_(std::move(wake)) {}

    // The loop that holds the worker.
    /// Before the first byte of the request is sent: all that is written until now is not its.
    void begins(std::string_view request_id) noexcept;
    /// The worker is idle: all that is written until now is its.
    void ends() noexcept;
    /// It got nothing of the request.
    void spared() noexcept;

    // Control thread.
    /// As read(2).
    long read(std::span<char> into) noexcept;
    struct Part {
        std::size_t size = 0;  ///< at most what was asked for
        bool begins = false;   ///< what came before is by another request
    };
    /// The next bytes of those that were read: how many of them one request has written, and its
    /// id.
    Part take(std::size_t most, std::string& id);
    /// Whether the bytes that were taken end with an incomplete line. False: its request has ended.
    bool holds_line(bool yes) noexcept;
    /// The pipe is about to be closed.
    void close() noexcept;

 private:
    std::uint64_t now() const noexcept;
    std::mutex mutex_;
    int pipe_;  // -1: closed
    const std::function<void()> wake_;
    std::uint64_t read_ = 0, taken_ = 0;
    bool holds_line_ = false;
    Authors authors_;
};

}  // namespace ticketgate::spawn
