// The events of a world, decided before it begins: the proxy's settings, the clients' requests and
// ways of leaving, the backend's behaviour for each request, and the operator's actions. Plain
// values: a seed makes one (plan_of), a scenario is written by hand. The world draws the rest (who
// runs when, how bytes are cut) from the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "config/model.hpp"
#include "gate/gate.hpp"

namespace ticketgate::sim {

/// What the backend does with one request.
struct Fate {
    enum class Kind : std::uint8_t {
        answers,
        dies_before_head,
        dies_in_head,
        dies_in_body,
        garbage_head,  ///< and runs on for a while, as a script does whose output went wrong
        garbage_chunk,
        dies_reading,  ///< before it has read the request
        unheard,       ///< works on, but the network between is lost while it works
        odd_field,     ///< whole, but with an odd field, a field too long or a status that is none
        // With FastCGI only; elsewhere they are dies_before_head.
        wrong_id,    ///< a record of another request in the midst of the answer
        no_end,      ///< says all and closes without END_REQUEST
        overloaded,  ///< END_REQUEST alone, and that it did not run
    };
    enum class Form : std::uint8_t { length, chunked, until_close, no_content };
    Kind kind = Kind::answers;
    Form form = Form::length;
    std::uint32_t size = 20;      ///< of the body
    Duration work = Duration{};   ///< before the answer
    Duration pause = Duration{};  ///< in the middle of it
    Duration runs_on =
        Duration{};          ///< after garbage, or before a close where END_REQUEST should be
    bool interim = false;    ///< a 103 first
    bool early = false;      ///< answers before it has read the request body
    bool takes_all = false;  ///< and takes all of that before it ends its answer, as PHP does
    /// Answers whole, then reads the rest of the request, with such a pause between two pieces.
    Duration reads_on = Duration{};
    bool gulps = false;   ///< takes that rest in one piece at once, and works on for `reads_on`
    bool closes = false;  ///< after the answer, told by Connection: close
    bool closes_untold = false;  ///< after the answer
    /// While it works on, so long after its answer, it writes more, in the shape of an answer.
    Duration writes_after = Duration{};
    /// Announces the end of its connection and keeps it, until it is asked; behind garbage it
    /// announces it only with `closes`.
    bool stays = false;
    /// Takes a FIN for a client that has left, and closes while its script runs on: nginx.
    bool leaves_at_fin = false;
    bool says_more = false;           ///< than it announced, or where there is room for nothing
    Duration says_late = Duration{};  ///< that, so long after its answer
    bool resets = false;              ///< dies by RST
    /// Where its request is not whole yet when it begins: this machine can write no more of it,
    /// though the connection stands.
    bool sealed = false;
    /// After END_REQUEST, as after fastcgi_finish_request(). In HTTP: after an answer that ends
    /// with its head, or before the close that it announced.
    Duration works_on = Duration{};
    // With FastCGI only.
    Duration lingers = Duration{};  ///< between its last output and END_REQUEST
    std::uint32_t app_status = 0;
    bool remarks = false;  ///< writes to its error stream
    bool pads = false;     ///< END_REQUEST has padding
};

/// What a backend speaks.
enum class Speech : std::uint8_t { http, fcgi, fcgi_kept };

/// One request of a client.
struct Ask {
    enum class Body : std::uint8_t { none, length, chunked };
    std::uint64_t id = 0;
    std::string method = "GET";
    std::string route = "/a";
    Body body = Body::none;
    std::uint32_t size = 0;
    bool expects_continue = false, http_1_0 = false, close = false;
    Fate fate = {};
};

struct Leave {
    enum class Way : std::uint8_t { never, fin, rst, half };
    enum class When : std::uint8_t {
        sending,     ///< after some bytes
        sent,        ///< its last request is sent
        other_ends,  ///< the very moment another request ends at the backend
        running,     ///< its request has begun at the backend
        reading,     ///< some bytes of a response are here
    };
    Way way = Way::never;
    When when = When::sending;
    std::uint32_t count = 0;  ///< bytes, or how many such moments are let pass
    Duration after = Duration{};
};

struct ClientPlan {
    std::vector<Ask> asks;
    /// Its requests are calls that the script of this request makes; 0: a client from outside.
    std::uint64_t of = 0;
    bool names_caller = false;  ///< by its X-Request-Id
    bool awaited = false;       ///< the script waits for them
    Duration starts = Duration{};
    std::uint32_t pipelines = 1;     ///< requests sent before the first is answered
    std::uint32_t piece = 1 << 20;   ///< most bytes at once, either way
    std::uint32_t capacity = 65536;  ///< of the connection, each way
    Duration pause = Duration{};     ///< at most, between two acts
    Duration stall = Duration{};     ///< a long one, now and then: time limits may strike
    Duration drips = Duration{};     ///< the time between two acts, whatever arrives meanwhile
    bool reads_first = false;        ///< sends no body before it has an answer
    Leave leave;
};

struct Act {
    enum class Kind : std::uint8_t { reload, drain, stop, step_clock, release, pause, resume };
    Kind kind = Kind::reload;
    Duration at = Duration{};
};

struct QueuePlan {
    queue::Limits limits;
    Duration hold_timeout = never;
    OnHoldTimeout on_hold_timeout = OnHoldTimeout::keep;
    bool worker_idle = false;  ///< its routes speak FastCGI then
};

/// By route. A request of /c is /free's once the queue c is gone.
struct Speeches {
    Speech a = Speech::http, b = Speech::http, c = Speech::http, free = Speech::http;
};

struct Plan {
    std::uint32_t threads = 1;
    QueuePlan a, c;  ///< routes /a and /b share a; /c has c; /free has none
    milliseconds wait_timeout = 60s, body_timeout = 30s, response_timeout = 60s,
                 connect_timeout = 5s, write_timeout = 60s, idle_timeout = 60s;
    std::uint32_t max_waiting = 1024;
    bool half_close_stays = false;
    config::InsideCalls inside_calls = config::InsideCalls::wait;
    bool inside_by_reload = false;  ///< clients.inside is empty until the first one
    bool small_spool = false;
    std::uint64_t spool_memory = 64 << 10, spool_max_memory = 64 << 20, spool_disk = 1 << 30;
    std::uint64_t response_spool_max = 256 << 20;
    milliseconds hold_back_timeout = 10s;
    std::uint32_t max_requests = config::unlimited;
    std::vector<ClientPlan> clients;
    std::vector<Act> acts;

    Speeches speaks;
    // The backend as a whole, in percent.
    unsigned status_fails = 0;         ///< of the looks at the workers' status
    unsigned no_room = 0;              ///< of the tries to connect, in a full backlog
    Duration room_after = Duration{};  ///< the backlog is full before
    unsigned refuses = 0, connects_late = 0, closes_idle = 0, tells_timeout = 0;
    Duration keeps = never;  ///< an idle connection, at the backend
    bool proven = true;      ///< counts from the beginning as one that keeps its connections
    std::uint32_t backend_capacity = 65536, backend_piece = 1 << 20;
    /// A server between closes a connection that takes nothing for so long; its script works on.
    Duration gives_up = never;
    // How the world goes on.
    int resumes = 1;          ///< coroutines in a loop's turn
    unsigned interrupts = 0;  ///< percent of system calls in whose midst somebody else acts
    unsigned releases = 0;    ///< percent of those in which an operator releases a slot
    unsigned delays = 2;      ///< percent of steps in which a little time passes
    bool uneven = false;      ///< some run ten times as often as others

    /// True if scripts make calls.
    bool has_calls() const;
    /// True if no request has a body: then every wait is for a slot from the beginning.
    bool bodiless() const;
};

Plan plan_of(std::uint64_t seed, std::uint32_t threads);

}  // namespace ticketgate::sim
