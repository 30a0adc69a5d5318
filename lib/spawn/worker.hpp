// One worker process and what is known of it. Shared by the pool, the supervisor and the loop that
// holds it; each field says who may touch it. Freed on its loop.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "net/loop.hpp"
#include "spawn/life.hpp"
#include "spawn/plan.hpp"
#include "spawn/written.hpp"

namespace ticketgate::spawn {

struct Worker;
class Waiter;

/// The loop's side of a worker: its connection, and how it shows that it is idle. Only the loop
/// that holds the worker calls it.
class Link {
 public:
    virtual ~Link() = default;
    /// The worker is this loop's now: watches it until it is idle, then tells the pool.
    virtual void arrive(net::Loop& loop) noexcept = 0;
    // False: not in this turn of the loop.
    /// Takes everything off the loop: the worker goes to another one.
    [[nodiscard]] virtual bool leave() noexcept = 0;
    /// The same, for a worker that is to end.
    [[nodiscard]] virtual bool close() noexcept = 0;
    /// Its process has ended: what it has written is still read, nothing more will come.
    [[nodiscard]] virtual bool process_ended() noexcept = 0;
};

/// Why a worker ends, as far as ticketgate decided it.
enum class Ending : std::uint8_t {
    none,  ///< by itself: a crash, or an exit
    idle,
    max_requests,
    reload,    ///< the config has another command for it, or none
    stop,      ///< ticketgate ends
    late,      ///< it did not start in time
    protocol,  ///< it broke the rules of its transport
};

/// How the socket of a worker is reached, or its control socket.
struct Wire {
    Descriptor listener{-1};  ///< the listening socket; ticketgate shuts it down to end the worker
    Descriptor path{-1};      ///< O_PATH of the listening socket, for /proc/self/fd
    Descriptor control{-1};   ///< ticketgate's end of the control socket
};

/// A job on the loop that holds a worker; needs no memory to be sent.
struct Errand {
    std::unique_ptr<net::Call> call;
    net::Loop* to = nullptr;  ///< guarded by the pool's mutex
};

struct Worker : std::enable_shared_from_this<Worker> {
    Worker(std::uint64_t the_number, Wire the_wire)
        : number(the_number), wire(std::move(the_wire)) {}

    const std::uint64_t number;  ///< counts from 1 in its pool
    Wire wire;                   ///< the link's
    pid_t pid = 0;               ///< constant once started, as the next four
    Life life;
    std::shared_ptr<Written> written;  ///< what it writes; null: nobody reads that
    Time started{};                    ///< the process, which may run its program later
    std::unique_ptr<Link> link;        ///< the loop that holds the worker uses it
    std::atomic<bool> ended{false};    ///< its process has ended

    // Guarded by the pool's mutex.
    WorkerState state = WorkerState::starting;
    Time since{};
    net::Loop* loop = nullptr;     ///< that holds it
    std::shared_ptr<Waiter> next;  ///< the request that it goes to, on another loop
    std::uint64_t requests = 0;
    bool was_idle = false;  ///< it has started well
    bool offered = false;   ///< runs nothing, and has to show within start_timeout that it waits
    bool works = false;     ///< has got a request, and has not shown that it is over
    std::optional<Time> parted = {};   ///< stops, as nothing can be passed to it since then
    std::optional<Time> refuses = {};  ///< since when it ends connections instead of reading
    Ending ending = Ending::none;
    std::array<char, 128> request_id{};  ///< of the present request, with a final zero

    Errand arrive, move_on, part, mourn;  // made by the pool
    net::Call burial{[] {}};              // keeps the worker until its loop frees it

    // Control thread.
    bool told_to_end = false;
    Time told_at{}, kill_at{};
};

}  // namespace ticketgate::spawn
