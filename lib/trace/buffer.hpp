// Finished requests on their way from the loops to the exporter. Bounded: what does not fit is
// dropped and counted, and no loop ever waits for the collector. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "trace/finished.hpp"

namespace ticketgate::trace {

class Buffer {
 public:
    /// `spans`: the most that it keeps; 0: none. They use at most `bytes_per_span` for each of that
    /// number: clients choose how long their paths are. What is there already stays.
    void limit(std::size_t spans);
    static constexpr std::size_t bytes_per_span = 1024;
    /// Called, on the thread that pushes, when it has become half full. Set before the loops run.
    void on_half_full(std::function<void()> call) { half_full_ = std::move(call); }

    void push(Finished request);
    /// Counts a request whose spans were lost for lack of memory.
    void lose(std::size_t spans) noexcept;

    /// Takes the oldest requests, with at most `spans` spans together, but at least one.
    std::vector<Finished> take(std::size_t spans);
    /// Drops all; returns how many spans.
    std::size_t clear();
    std::size_t spans() const;
    /// The memory that they use, about.
    std::size_t bytes() const;
    /// Spans for which there was no room.
    std::uint64_t dropped() const;

 private:
    bool add(Finished&& request);
    bool half_full() const;

    std::function<void()> half_full_ = [] {};
    mutable std::mutex lock_;  // guards everything below
    std::deque<Finished> requests_;
    std::size_t spans_ = 0, limit_ = 0, bytes_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace ticketgate::trace
