// Counts the requests of one upstream of the config and their failures, for its metrics. Several
// loops write it. Shared by the routes that go to the upstream, and kept under its name over
// reloads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "metrics/callbacks.hpp"

namespace ticketgate {

class UpstreamCounts {
 public:
    static constexpr std::size_t reasons = 11;

    /// Its series have the label `upstream`, and are there from now on: a rate has no gap at the
    /// first failure. `registry` outlives it.
    UpstreamCounts(metrics::Registry& registry, const std::string& upstream);
    UpstreamCounts(const UpstreamCounts&) = delete;
    UpstreamCounts& operator=(const UpstreamCounts&) = delete;

    // Any thread.
    /// A request goes to the backend; one that is sent again is the same request.
    void request() noexcept { requests_.fetch_add(1, std::memory_order_relaxed); }
    /// The backend failed so; `refusal`: the errno of a connection that could not be made, or 0.
    void failed(error_code failure, int refusal) noexcept;

 private:
    using Count = std::atomic<std::uint64_t>;
    alignas(metrics::cache_line) Count requests_{0};
    alignas(metrics::cache_line) std::array<Count, reasons> errors_{};
    metrics::Callbacks series_;  // of these
};

}  // namespace ticketgate
