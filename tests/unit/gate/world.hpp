// Shared by the tests of gate: a gate on a loop that the test turns, and its metrics.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "gate/local_gate.hpp"

namespace ticketgate {

using Entry = queue::Queue::Entry;
using queue::State;

inline const metrics::Series* find_series(const std::vector<metrics::Family>& families,
                                          std::string_view name, std::string_view label) {
    for (const auto& family : families) {
        if (family.name != name) continue;
        for (const auto& series : family.series)
            for (const auto& [key, value] : series.labels)
                if (value == label) return &series;
    }
    return nullptr;
}

/// The value of the one series of this family with this label value; -1 if there is none.
inline double metric(const metrics::Registry& registry, std::string_view name,
                     std::string_view label = "q") {
    const auto families = registry.collect();
    const auto* series = find_series(families, name, label);
    return series == nullptr ? -1 : series->value;
}

/// The count of observations of a histogram; -1 if there is none.
inline std::int64_t observations(const metrics::Registry& registry, std::string_view name,
                                 std::string_view label = "q") {
    const auto families = registry.collect();
    const auto* series = find_series(families, name, label);
    if (series == nullptr) return -1;
    std::uint64_t count = 0;
    for (const auto bucket : series->buckets) count += bucket;
    return static_cast<std::int64_t>(count);
}

inline constexpr auto waits = "ticketgate_queue_wait_seconds";
inline constexpr auto holds = "ticketgate_queue_hold_seconds";
inline constexpr auto rejected = "ticketgate_queue_rejected_total";
inline constexpr auto violations = "ticketgate_exclusion_violations_total";

struct World {
    explicit World(GateSettings settings = {})
        : gate(std::make_shared<LocalGate>("q", settings, loop, registry)) {}

    Place place(const Entry& entry = {}) {
        auto pass = std::make_shared<Pass>();
        gate->take(*pass, entry, loop);
        return Place(gate, std::move(pass), loop);
    }
    /// Of a request that is sent.
    Slot slot(const Entry& entry = {}) {
        Slot slot = unsent(entry);
        (void)slot.claims_backend();
        return slot;
    }
    Slot unsent(const Entry& entry = {}) { return place(entry).begin(); }

    metrics::Registry registry;
    net::Loop loop{0};
    std::shared_ptr<Gate> gate;
};

}  // namespace ticketgate
