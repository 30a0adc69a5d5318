// A gate whose line is in this process. Owned by the GateRegistry and by the routes that use it.
// Its lock covers only the pure Queue, its metrics and the copy of a view: no I/O, no callback, no
// wake-up, no allocation.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "gate/gate.hpp"
#include "gate/gate_metrics.hpp"
#include "gate/permit.hpp"

namespace ticketgate {

class LocalGate final : public Gate {
 public:
    /// `permit`: of a clustered queue; it outlives the gate. Null: the gate may always grant.
    LocalGate(std::string name, GateSettings settings, net::Loop& home, metrics::Registry& registry,
              Permit* permit = nullptr);

    /// For the keeper of a clustered line, and for the other process of an upgrade.
    struct Facts {
        bool waits = false;       ///< a ticket waits
        std::uint32_t holds = 0;  ///< slots held, those of calls within them included
        std::uint64_t token = 0;  ///< the last one given
        /// When the ticket that the next slot is for was taken. An upload that is not whole has no
        /// claim to it, but with `order: arrival`. Time::max(): nobody waits for a slot.
        Time next = Time::max();
        bool stopped = false;  ///< grants nothing: grant_until() or stop_when_done()
    };
    /// Any thread. Grants first what the permit allows by now: what it says is seen here.
    Facts look();
    /// Grants to tickets taken before `until` only, as another process may grant from the same
    /// queue to the others (an upgrade). queue::no_ticket: grants nothing. Any thread.
    void grant_until(Time until);
    /// Grants nothing from now on, if no slot is held and no ticket waits that may be granted one.
    /// Returns what the gate holds then. Any thread.
    Facts stop_when_done();
    /// A term begins: numbers and tokens from now on are above `last`. Any thread.
    void start_term(std::uint64_t last);

    /// A line of a lost replica was opened although its request may still run. Any thread.
    void count_violation() { metrics_.exclusion_violations.add(); }
    GateLosses losses() const { return metrics_.losses(); }
    /// The old process of an upgrade has counted them, by GateLosses::names. Any thread.
    void add_loss(std::size_t which, std::uint64_t count);
    /// Another replica keeps the line: those who wait take their tickets there. Any thread.
    void move_away();
    /// Another replica keeps the line, and knows nothing of a pause here. True: there was one.
    bool end_pause();

    Whereabouts where() const override { return permit_ ? permit_->where() : Whereabouts(); }
    bool clustered() const override { return permit_ != nullptr; }
    void doubt_keeper() override {
        if (permit_ != nullptr) permit_->doubted();
    }
    bool give_word(std::string_view instance, std::uint64_t term, std::uint64_t by) override {
        return permit_ != nullptr && permit_->give_word(instance, term, by);
    }
    bool runs(std::string_view request_id) override;
    bool may_send() const override { return permit_ == nullptr || permit_->holds(); }
    queue::State take(Pass&, const queue::Queue::Entry&, net::Loop& here) override;
    queue::State take_within(Pass&, const CalledBy&, const queue::Queue::Entry&,
                             net::Loop& here) override;
    void ready(Pass&, net::Loop& here) override;
    queue::State settle(Pass&, net::Loop& here) override;
    queue::State cancel(Pass&, net::Loop& here, GivenUp why) override;
    void count_refused(GivenUp why, Duration waited) override;
    void count_forward(Duration took) override;
    queue::State begin(Pass&) override;
    void drop(Pass&, net::Loop& here) noexcept override;
    void leave(Pass&, net::Loop& here) noexcept override;
    void fail_open(Pass&, net::Loop& here) noexcept override;
    Released release(const ToRelease&) override;
    void pause(Time until) override;
    Time paused_until() const override;
    void configure(GateSettings) override;
    GateSettings settings() const override;
    GateFigures figures() const override;
    GateView view(std::size_t most) const override;
    std::vector<FoundTicket> find(std::string_view request_id, std::size_t most) const override;
    GateCounts counts() const override;

 private:
    template <class Change>
    void change(const net::Loop* here, Change change);
    template <class Change>
    bool make(const net::Loop* here, Change change);
    bool permitted() const { return permit_ == nullptr || permit_->holds(); }
    Time open_until(Time now) const { return now >= paused_until_ ? until_ : queue::no_ticket; }
    Time granted_until(Time now) const { return permitted() ? open_until(now) : queue::no_ticket; }
    Facts facts();
    void wake(std::shared_ptr<Pass>, const net::Loop* here);
    queue::State give_away(Pass&, Time now, queue::Tickets& granted);

    // local_gate_inside.cpp: calls within the hold of a request
    queue::Queue& line_of(Pass&);
    template <class Is>
    static Pass* find_holder(queue::Queue&, Is is);
    Pass* holder(std::uint64_t number);
    Pass* running(std::string_view request_id);
    Pass* caller_of(const CalledBy&);
    Pass* only_hold(const CalledBy&);
    bool has_room_within(const Pass& caller) const;
    queue::State enter_within(Pass&, const CalledBy&, const queue::Queue::Entry&,
                              std::unique_ptr<queue::Queue>& line, Time now, queue::Tickets&);
    void free_slots(Pass*, Time now, queue::Tickets& granted);
    void scatter(Pass&, Time now, queue::Tickets& granted);
    static TicketView view_of(const queue::Ticket&, Time now);
    std::uint32_t count_inside() const;
    void view_inside(const queue::Queue&, Time now, GateView&) const;

    GateFigures figures_at(Time now) const;

    Permit* const permit_;
    mutable std::mutex lock_;  // guards queue_, the lines within its holders, and what follows
    queue::Queue queue_;
    GateSettings settings_;
    Time paused_until_{};              // Time{}: not paused
    Time until_ = queue::all_tickets;  // grant_until()
    Time last_freed_{};                // when a hold of queue_ last ended, with all calls within it
    GateMetrics metrics_;              // its counters and histograms are written under lock_
};

}  // namespace ticketgate
