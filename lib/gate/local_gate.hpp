// A gate whose line is in this process. Owned by the GateRegistry and by the routes that use it.
// Its lock covers only the pure Queue, its metrics and the copy of a view: no I/O, no callback, no
// wake-up, no allocation.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "gate/gate.hpp"
#include "gate/gate_metrics.hpp"

namespace ticketgate {

class LocalGate final : public Gate {
 public:
    LocalGate(std::string name, GateSettings settings, net::Loop& home,
              metrics::Registry& registry);

    queue::State take(Pass&, const queue::Queue::Entry&, net::Loop& here) override;
    void ready(Pass&, net::Loop& here) override;
    queue::State settle(Pass&, net::Loop& here) override;
    queue::State cancel(Pass&, net::Loop& here, GivenUp why) override;
    queue::State begin(Pass&) override;
    void drop(Pass&, net::Loop& here) noexcept override;
    void leave(Pass&, net::Loop& here) noexcept override;
    void fail_open(Pass&, net::Loop& here) noexcept override;
    Release release(std::uint64_t number) override;
    void configure(GateSettings) override;
    GateSettings settings() const override;
    GateFigures figures() const override;
    GateView view(std::size_t most) const override;

 private:
    template <class Change>
    void change(const net::Loop* here, Change change);
    void wake(std::shared_ptr<Pass>, const net::Loop* here);
    queue::State give_away(Pass&, Time now, queue::Tickets& granted);
    GateFigures figures_at(Time now) const;

    mutable std::mutex lock_;  // guards queue_ and settings_
    queue::Queue queue_;
    GateSettings settings_;
    GateMetrics metrics_;  // its counters and histograms are written under lock_
};

}  // namespace ticketgate
