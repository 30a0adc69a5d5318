#pragma once
// Clients that must never hold a slot: readers that take a large answer a little at a time, and
// uploaders that send a body a byte at a time. They need no polling, only a tick a second.

#include <vector>

#include "driver_plan.hpp"

namespace loadtest {

class SlowClients {
 public:
    explicit SlowClients(const Plan& plan) : plan_{plan} {}

    // Each tick opens one more client and advances the open ones by a step.
    void tick(Micros now);
    bool wanted() const { return plan_.slow_readers + plan_.slow_uploaders > 0; }
    void leave() { clients_.clear(); }

    static constexpr Micros tick_us = 20'000;

 private:
    struct One {
        Fd fd;
        bool reader;
        bool head_sent = false;
        Micros next_step_us = 0;
    };
    void open_next();
    void step(One& one) const;
    std::string head(bool reader) const;

    const Plan& plan_;
    std::vector<One> clients_;
};

}  // namespace loadtest
