#pragma once
// One request: what it asks for, the allowed answers, and its outcome.

#include <cstdint>
#include <string>
#include <vector>

#include "../net_lite.hpp"

namespace loadtest {

// A line of requests: the queue they stand in. `free` is no queue.
enum class Line : std::uint8_t {
    one,      // one at a time
    two,      // at most two
    seven,    // at most seven
    shared,   // one at a time, from several routes
    few,      // five may wait
    nobody,   // nobody may wait
    brief,    // may wait for half a second
    racing,   // may wait for 30 ms
    hasty,    // the backend is thought silent after 300 ms
    reads,    // GET passes beside it
    stays,    // keeps the place of clients that half-close
    arrival,  // in the strictest order
    failing,  // gives its slot back after 200 ms: fails open, on purpose
    moving,   // its limit changes under load
    passing,  // comes and goes under load
    tunnels,  // a tunnel gives its slot back when it begins
    holds,    // or keeps it to its end
    inside,   // the application calls its own site
    late,     // its slot waits for php-fpm's workers
    free,
};
inline constexpr std::size_t line_count = 20;

struct LineFacts {
    const char* path;
    std::uint32_t limit;  // 0: none
};
const LineFacts& facts(Line line);

// Sets of allowed answers for one request.
using Allowed = std::uint32_t;
namespace allow {
inline constexpr Allowed ok = 1;             // 200 with the body and X-Seq asked for
inline constexpr Allowed unavailable = 2;    // 503
inline constexpr Allowed bad_gateway = 4;    // 502
inline constexpr Allowed timeout = 8;        // 504
inline constexpr Allowed broken = 16;        // begun and cut, as the backend's own answer was
inline constexpr Allowed closed = 32;        // no answer, the connection ended
inline constexpr Allowed request_late = 64;  // 408
inline constexpr Allowed not_found = 128;    // 404, of a route that comes and goes
inline constexpr Allowed own_call = 256;     // 508
inline constexpr Allowed idle_ended = 512;   // closed, and it never ran
inline constexpr Allowed anything = ~0U;
}  // namespace allow

struct Call {
    Line line = Line::one;
    std::string query;         // "us=500"
    std::uint64_t body = 0;    // bytes; more than none makes it a POST
    std::uint64_t size = 100;  // of the answer
    Allowed allowed = allow::ok;
    bool upgrade = false;        // asks for a WebSocket
    bool head = false;           // HEAD
    const char* path = nullptr;  // another one of the line's routes
    std::string fields;          // more of its head, each with its CR LF
    bool once = false;           // may start once only, as a POST
};

enum class Fate : std::uint8_t { unsent, sent, answered, broken, closed, left };

struct Record {
    Micros head_us = 0;   // when its head was sent
    Micros whole_us = 0;  // when all of it was sent; 0: never
    Micros done_us = 0;   // when its answer was read, or there was none
    Micros left_us = 0;   // when its client left; 0: it stayed
    std::string query;
    std::uint64_t size = 0;
    std::uint64_t of = 0;  // its caller, within whose slot it runs; 0: it has a slot of its own
    Allowed allowed = allow::ok;
    std::uint16_t status = 0;
    Line line = Line::one;
    Fate fate = Fate::unsent;
    bool post = false;
    bool head = false;
    bool fresh = false;        // the first of its connection
    std::uint64_t before = 0;  // seq of the one before on its connection; 0: none
    bool wrong = false;        // answered, but not so
    bool once = false;         // must not start twice
    bool must = false;         // must start, even if its client has left the line
};

// records[seq - 1]
using Records = std::vector<Record>;

}  // namespace loadtest
