// The settings of one queue, as its gate needs them.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "queue/queue.hpp"

namespace ticketgate {

enum class OnHoldTimeout : std::uint8_t { keep, release };

struct GateSettings {
    queue::Limits limits;
    Duration hold_timeout = never;
    OnHoldTimeout on_hold_timeout = OnHoldTimeout::keep;
    std::uint32_t max_inside = 8;  ///< calls within one hold: their depth, and those beside
    bool worker_idle = false;      ///< ask the backend before a slot is released (CONTRACT 2.6)
};

}  // namespace ticketgate
