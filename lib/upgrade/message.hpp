// What two processes tell each other during an upgrade: one message a packet of their link, so a
// message is whole or absent. Pure.
//
// The old process sends `socket` for each listening socket, with its descriptor, then `offered`.
// The new one takes its sockets, reads its config, and says `ready`, or `problem`s before it ends.
// The old one stops accepting and sends `queue` for each of its queues, then `yours`: from here on
// the new one accepts. Then both agree with `give` and `ask` on who may grant from a queue, and to
// which tickets (turns.hpp). `ids`: the old id service has ended, the new one may begin. `pause`
// tells the other process of an operator's pause, `drain` that the new process ends for good.
// `guest` passes on a connection to the admin listener that the old process has not answered.
// `finished` is the last word of a process that leaves no request behind: one that was killed, or
// that cut some, says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate::upgrade {

/// Of the link. A process that is told of another version ends before it takes anything over.
inline constexpr std::uint64_t protocol = 3;
/// The longest message; a longer text is cut.
inline constexpr std::size_t longest_message = 4096;
/// The longest text that no kind and no number make too long.
inline constexpr std::size_t longest_text = longest_message - 64;

enum class Kind : std::uint8_t {
    hello,     ///< number: the protocol
    socket,    ///< a listening socket comes with it
    offered,   ///< these were all sockets; number: facts (inherited_facts() in app/predecessor.hpp)
    problem,   ///< text: why the new process does not start
    ready,     ///< the new process can accept
    queue,     ///< text: a queue of the old process
    yours,     ///< the old process accepts no more
    give,      ///< at_time(): the other may grant from the queue, to older tickets
    ask,       ///< at_time(): the other may go on granting, to older tickets only
    ids,       ///< the id service of the old process has ended
    pause,     ///< at_time(): an operator's, until then; Time{}: its end
    drain,     ///< the new process drains: nobody accepts any more
    finished,  ///< the line of this process has ended, and it cut no request of it; number: Left
    lost,      ///< number: so many more; text: `REASON QUEUE` (GateLosses), of the old process
    oldest,  ///< the request that has run for longest in the old process; number: since when, Unix
             ///< time in us; text: `QUEUE NUMBER REQUEST_ID METHOD TARGET`, `QUEUE`: none runs
    guest,   ///< text: what has arrived on the connection that comes with it
};

/// How much a process leaves running at the backends when it ends. A process of an earlier version
/// always sends `unknown`.
enum class Left : std::uint8_t {
    unknown,   ///< no request of a queue; the script of another one may run on
    nothing,   ///< as far as it knows: what `clients.inside` goes by
    requests,  ///< of a queue, which it cuts; so it does not say that it has finished
};

struct Message {
    Kind kind = Kind::hello;
    std::uint64_t number = 0;
    std::string text = {};
    bool operator==(const Message&) const = default;
};

/// A message about a queue that has a time.
Message at_time(Kind kind, const std::string& queue, Time time);
Time time_of(const Message& message);

/// `WORD NUMBER TEXT`; the text may have any bytes.
std::string encode(const Message& message);
/// Nothing: no message of this protocol.
std::optional<Message> decode(std::string_view packet);

}  // namespace ticketgate::upgrade
