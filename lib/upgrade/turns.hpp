// Who may grant from a queue while two processes serve it: one of them at any moment. The right to
// grant is a thing that one process has and gives to the other, so no order of messages makes two
// of it. Pure: one object for each process.
//
// The old process begins with all queues. It gives one away when nothing of its line is left there,
// and asks for it again if a late request of one of its connections needs it. The new process gives
// it back when nothing runs there any more: what waits in the new process waits on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ticketgate::upgrade {

enum class Turn : std::uint8_t {
    ours,      ///< this process may grant
    theirs,    ///< the other may
    asked,     ///< the other may, and has been asked to give it back
    returning  ///< ours, but nothing more is granted: it goes back when the last run has ended
};

enum class Event : std::uint8_t {
    idle,    ///< nothing of ours is left here
    wanted,  ///< a request of ours waits, and the other may grant
    given,   ///< the other gave it to us
    asked,   ///< the other asks for it
    alone    ///< the other process has ended
};

enum class Say : std::uint8_t { nothing, give, ask };

struct Step {
    Turn next;
    Say say = Say::nothing;
};

/// The table of all turns and events. An event that means nothing changes nothing.
Step step(Turn current, Event event);

/// What a gate holds.
struct Line {
    bool waits = false;
    bool runs = false;
};

/// The old process gives what it can as soon as it can, and asks for what it needs: its requests
/// are older. The new one only gives back what it is asked for.
enum class Side : std::uint8_t { old_process, new_process };

/// The event that the sight of a line means.
std::optional<Event> seen(Side side, Turn current, const Line& line);

/// The turns of all queues of one process.
class Turns {
 public:
    explicit Turns(Side side) : side_(side) {}
    void add(const std::string& queue) {
        turns_[queue] = side_ == Side::old_process ? Turn::ours : Turn::theirs;
    }

    /// The gate of this queue may grant.
    bool ours(const std::string& queue) const;
    /// Takes note of what a gate holds, and returns what to say.
    Say look(const std::string& queue, const Line& line);
    /// False: it changed nothing.
    bool heard(const std::string& queue, Event event);
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
