// A peer of the proxy: a client or the backend. An actor names the time of its next act; the world
// lets one act at a time. It uses the network only, never the proxy.
#pragma once

#include <cstdint>

#include "simulation/judge.hpp"
#include "simulation/random.hpp"
#include "simulation/wire.hpp"

namespace ticketgate::sim {

enum class Moment : std::uint8_t { begins, ends };  ///< of a request at the backend

/// What actors share.
struct Stage {
    Random& random;
    Trace& trace;
    Judge& judge;
    /// Notifies all actors at once of an event at the backend.
    std::function<void(Moment, std::uint64_t id)> tell;
    /// The backend has ended a request, and the proxy can never hear of it: an operator, who can,
    /// releases its slot.
    std::function<void(std::uint64_t id)> ended_unheard;
};

class Actor : public Peer {
 public:
    explicit Actor(Stage& stage) : stage_(stage) {}
    virtual ~Actor() = default;
    virtual void act() = 0;
    void wake() override { at_ = std::min(at_, clock.now); }
    Time at() const { return at_; }
    std::uint32_t weight = 1;

 protected:
    void rest() { at_ = Time::max(); }
    void again(Duration after) { at_ = clock.now + after; }
    Duration at_most(Duration longest) {
        const auto end = static_cast<std::uint64_t>(longest.count()) + 1;
        return Duration(static_cast<std::int64_t>(stage_.random.below(end)));
    }
    Stage& stage_;
    Time at_ = Time::max();
};

}  // namespace ticketgate::sim
