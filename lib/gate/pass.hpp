// A request's part in a gate: its ticket, its description for operators, and the coroutine to wake
// when the ticket is decided. Shared by its session or Slot and by a wake-up on its way between
// threads. The pass is itself the job of that wake-up, so a wake-up allocates no memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "gate/request_label.hpp"
#include "net/loop.hpp"
#include "queue/queue.hpp"

namespace ticketgate {

enum class GivenUp : std::uint8_t;

/// The client of a running request.
enum class ClientIs : std::uint8_t {
    served,
    slow,      ///< it delays the backend: ticketgate_queue_held_back
    gone,      ///< it left while its request runs: ticketgate_queue_orphaned; final
    timed_out  ///< it was told that the backend is silent: ticketgate_queue_timed_out; final
};

class Pass final : public net::Job, public std::enable_shared_from_this<Pass> {
 public:
    Pass() = default;
    explicit Pass(const RequestLabel& label) : label_(label) {}

    const RequestLabel& label() const { return label_; }

    /// The place in the queue's total order, from 1. 0: the gate does not know it yet, but will at
    /// the latest when the ticket is granted.
    std::uint64_t number() const { return ticket_.number; }
    /// When the number was given: tickets waiting ahead, and the oldest in flight (0: none).
    std::uint32_t position() const { return ticket_.position; }
    std::uint64_t blocked_by() const { return ticket_.blocked_by; }
    /// When the slot was granted.
    Time granted() const { return ticket_.granted; }
    /// The fencing number of the grant; rises with each grant of the queue. A call from inside has
    /// that of its caller, within whose hold it runs: a backend must not refuse the caller for it.
    std::uint64_t token() const { return parent_ ? parent_->token() : ticket_.token; }
    /// The number of the request that made this call and within whose hold it runs; 0: none.
    std::uint64_t inside_of() const { return parent_ ? parent_->number() : 0; }

    /// Its run has begun and is not over; of a gate's lock.
    bool runs() const { return ticket_.state == queue::State::running && !over(); }

    /// Sets the coroutine to wake at the decision, and later at the loss of the slot; null: none.
    /// On the home loop only.
    void wake(Signal* waiter) { waiter_ = waiter; }
    /// For views. Any thread.
    void client(ClientIs now) { client_.store(now, std::memory_order_relaxed); }
    ClientIs client() const { return client_.load(std::memory_order_relaxed); }
    /// The response has ended, and whether its script has is not known. Any thread.
    void end_unknown(bool now) { end_unknown_.store(now, std::memory_order_relaxed); }
    bool end_unknown() const { return end_unknown_.load(std::memory_order_relaxed); }
    /// The run is about to send, or has sent, bytes of the request. False: its slot was released
    /// before: then it must send none. On the home loop.
    bool may_send() {
        auto was = Sending::unsent;
        return sending_.compare_exchange_strong(was, Sending::maybe) || was == Sending::maybe;
    }
    /// The run knows that the backend got nothing so far: it waits for a connection or a worker.
    void not_sent() {
        auto was = Sending::maybe;
        sending_.compare_exchange_strong(was, Sending::unsent);
    }
    /// The backend may have a part of the request. Any thread.
    bool sent() const { return sending_.load() == Sending::maybe; }
    /// Its slot was released before, so it never will. Any thread.
    bool withdrawn() const { return sending_.load() == Sending::withdrawn; }
    /// True if the slot was released while its request ran. Any thread.
    bool taken_away() const { return taken_away_.load(std::memory_order_acquire); }

 private:
    friend class LocalGate;
    static Pass& of(queue::Ticket& ticket);
    static const Pass& of(const queue::Ticket& ticket);
    void run() override;  // on the home loop: wakes the waiter
    // The loop of the run and the thread of an operator decide here who was first.
    enum class Sending : std::uint8_t { unsent, maybe, withdrawn };
    bool withdraw() {
        auto was = Sending::unsent;
        return sending_.compare_exchange_strong(was, Sending::withdrawn);
    }
    bool over() const { return over_at_ != Time::max(); }

    queue::Ticket ticket_;      // under the gate's lock until decided
    GivenUp given_up_{};        // why, if it is dropped; under the gate's lock
    Signal* waiter_ = nullptr;  // on the home loop only
    std::atomic<bool> taken_away_{false};
    std::atomic<Sending> sending_{Sending::unsent};
    std::atomic<ClientIs> client_{ClientIs::served};
    std::atomic<bool> end_unknown_{false};
    std::shared_ptr<Pass> self_;  // itself, from grant to wake-up; under the gate's lock
    // CONTRACT 10; under the gate's lock.
    std::shared_ptr<Pass> parent_;          // it runs within the hold of this one
    std::unique_ptr<queue::Queue> within_;  // the calls within its own hold; null: none so far
    Time over_at_ = Time::max();            // its run was over; calls within may keep its slot
    const RequestLabel label_ = {};
};

}  // namespace ticketgate
