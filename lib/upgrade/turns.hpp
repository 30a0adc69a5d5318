// Which process may grant from a queue while two serve it, and to which tickets, so that at most
// one grants at any moment and the order of the tickets stays. Pure: one object for each process.
//
// The right to grant is a thing that one process has and gives to the other, so no order of
// messages makes two of it. It goes with a time: the giver's next ticket was taken then, and the
// other grants to older tickets only. When it has none of these left, and none of its requests
// runs, it gives the right back, with the time of its own next ticket. So a line in two processes
// is served in the order of its tickets; both processes are on one machine, and have one clock. A
// ticket that gets older than what the holder was told (an upload that is whole, a late request in
// an empty line) is told by `ask`.
//
// The old process begins with all queues, for the tickets that it took before the new one accepts.
// A queue in which nobody is left anywhere stays with the new process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::upgrade {

enum class Side : std::uint8_t { old_process, new_process };

/// If two tickets have the same time, the old process grants first.
struct Turn {
    bool ours = false;  ///< this process may grant
    /// The one that may grants to tickets taken before this time only. Time::max(): to all.
    Time until = Time::max();
    bool operator==(const Turn&) const = default;
};

/// What a gate holds.
struct Line {
    Time next = Time::max();  ///< when the next ticket was taken; Time::max(): nobody waits
    bool runs = false;
};

/// To the other process, with the `until` of the turn that goes with it.
enum class Say : std::uint8_t {
    nothing,
    give,  ///< it may grant from now on
    ask    ///< it may go on granting, but not as far as it was told before
};

struct Step {
    Turn after;
    Say say = Say::nothing;
};

/// The queue is the new process's for good, unless the old one asks for it.
bool stays(Side side, Turn current);
/// The turn after a look at the line, and the message for the other process.
Step look(Side side, Turn current, const Line& line);
/// The turn after a message of the other process. A message that does not fit changes nothing.
Turn hear(Turn current, Say say, Time until);

/// The turns of all queues of one process.
class Turns {
 public:
    explicit Turns(Side side) : side_(side) {}
    /// `now`: the old process accepts no more, the new one not yet.
    void add(const std::string& queue, Time now) {
        turns_[queue] = {side_ == Side::old_process, now};
    }

    /// The gate of this queue grants to tickets taken before this time. Time::min(): to none.
    Time grants_until(const std::string& queue) const;
    /// Only this process may grant from it, and the other one runs nothing of it.
    bool ours(const std::string& queue) const;
    /// Those that are not.
    std::vector<std::string> theirs() const;
    /// There is nothing to look at.
    bool stays(const std::string& queue) const;
    /// Takes note of what a gate holds, and returns what to say. An exception of `tell` leaves the
    /// turn as it was.
    using Tell = std::function<void(const Step&)>;
    Step look(const std::string& queue, const Line& line, const Tell& tell = nullptr);
    /// False: it changed nothing.
    bool hear(const std::string& queue, Say say, Time until);
    /// The other process has ended: all are ours. Returns those that were not.
    std::vector<std::string> alone();

    /// The other process may grant from all queues.
    bool all_theirs() const;
    template <class Use>
    void for_each(Use use) const {
        for (const auto& [queue, current] : turns_) use(queue, current);
    }

 private:
    const Side side_;
    std::map<std::string, Turn> turns_;
};

}  // namespace ticketgate::upgrade
