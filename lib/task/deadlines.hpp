// Deadlines without a timer each: one first-in-first-out list for each configured duration, so that
// arming, re-arming and disarming are a few nanoseconds, and the earliest is always at the front of
// a list. Pure: the loop asks next() how long it may sleep and calls expire() when it wakes.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

/// One coroutine's deadline. When it passes, `expired()` turns true and the observer is notified.
/// Owned by the session or run it limits; disarmed by its destructor.
class Deadline : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    explicit Deadline(Observer& observer) : observer_(&observer) {}
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

    bool armed() const { return is_linked(); }
    bool expired() const { return expired_; }
    Time at() const { return at_; }
    void disarm() {
        unlink_if_linked();
        expired_ = false;
    }

 private:
    friend class Deadlines;
    void unlink_if_linked() {
        if (is_linked()) unlink();
    }
    Observer* observer_;
    Time at_{};
    bool expired_ = false;
};

class Deadlines {
 public:
    Deadlines() { lists_.push_back(std::make_unique<List>(never)); }
    /// Arms, or arms anew, for `after` from `now`. `never` disarms. Cannot fail: without memory for
    /// a new list the deadline goes into an existing one.
    void arm(Deadline&, Duration after, Time now) noexcept;
    /// The earliest deadline, if any is armed.
    std::optional<Time> next() const;
    /// Notifies the observer of each deadline at or before `now`.
    void expire(Time now);

 private:
    struct List {
        explicit List(Duration duration) : after(duration) {}
        Duration after;
        boost::intrusive::list<Deadline, boost::intrusive::constant_time_size<false>> armed;
    };
    List& list(Duration after) noexcept;
    std::vector<std::unique_ptr<List>> lists_;  // few: one for each duration the config names
};

}  // namespace ticketgate
