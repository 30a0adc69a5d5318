// The workers of one upstream: which of them are idle, and which requests wait for one. Requests
// get workers in the order in which they asked. Any thread; one mutex. Invariant: a request has a
// worker only while no other has it, and a worker is idle only after it has shown that its last
// request is over. The supervisor starts and stops the processes.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metrics/metric.hpp"
#include "spawn/worker.hpp"

namespace ticketgate::spawn {

class Pool;

/// A request that wants a worker. `arrived()` runs on its loop once it has one. Owned by the
/// exchange and, while it waits, by the pool.
using WaiterHook = boost::intrusive::list_base_hook<boost::intrusive::tag<class Waiter>>;
class Waiter : public net::Job, public WaiterHook {
 public:
    explicit Waiter(net::Loop& on) : loop(on) {}
    net::Loop& loop;
    std::function<void()> arrived;   ///< empty: nobody waits any more. Its loop only
    std::shared_ptr<Worker> worker;  ///< guarded by the pool's mutex, until arrived() runs

 private:
    friend class Pool;
    void run() override;
    std::shared_ptr<Waiter> self_;  // while it is in the pool's list
};

/// The supervisor looks at a pool at least so often. Without memory a pool cannot ask for it.
constexpr Duration look_at_least = 1s;

/// For the operator, and the metrics.
struct WorkerView {
    std::uint64_t number;
    pid_t pid;
    WorkerState state;
    Duration in_state, age;
    std::uint64_t requests;
    std::string request_id;
};

struct PoolFigures {
    std::array<std::size_t, 4> workers{};  ///< by WorkerState
    std::size_t waiting = 0;
    std::uint32_t max = 0;
};

class Pool : public std::enable_shared_from_this<Pool> {
 public:
    /// `wake` makes the supervisor look at the pool soon; any thread.
    Pool(std::string name, std::function<void(const Pool&)> wake, metrics::Histogram* busy_seconds)
        : name_(std::move(name)), wake_(std::move(wake)), busy_seconds_(busy_seconds) {}

    const std::string& name() const { return name_; }

    // Loops.
    /// An idle worker of the waiter's loop, which its caller now has; null: `waiter` will get one.
    std::shared_ptr<Worker> take(const std::shared_ptr<Waiter>& waiter);
    /// Gives up the wait. A worker that is on its way goes back.
    void cancel(Waiter& waiter) noexcept;
    /// The worker waits for a request on the loop that holds it. Called by that loop. Not `shown`:
    /// nothing tells whether its program has started, until a request is offered to it.
    void idle(Worker& worker, bool shown = true) noexcept;
    /// A connection was passed to a worker that has shown nothing. It has start_timeout to take it,
    /// and gets nothing of the request before.
    void offers(Worker& worker) noexcept;
    /// It has taken it. False: it was told to end meanwhile, so another one has to run the request.
    bool took(Worker& worker) noexcept;
    /// The request that the worker runs now.
    void serves(Worker& worker, std::string_view request_id) noexcept;
    /// It, or its connection, has ended before it got a byte of that request. One that lives has
    /// start_timeout to wait for another.
    void spared(Worker& worker) noexcept;
    /// It has ended a connection instead of reading from it. It has start_timeout from the first
    /// one on to wait for a request.
    void refuses(Worker& worker) noexcept;
    /// The worker broke the rules of its transport: it must end.
    void reject(Worker& worker) noexcept;
    /// Nothing can be passed to it any more: it gets no request from now on, and must end, unless
    /// it does so by itself at once.
    void parted(Worker& worker) noexcept;

    // Control thread.
    /// `max_requests`: 0 for no limit.
    void configure(const Bounds& bounds, std::uint32_t max_requests);
    /// The config no longer names it: workers stay only while requests wait for them.
    void retire();
    std::shared_ptr<Worker> add(Wire wire);
    /// The process runs: hands the worker to the loop of the first waiter, or to `other`.
    void started(Worker& worker, net::Loop& other);
    /// The process has ended, or was never started. Returns what it was.
    struct Ended {
        WorkerState state;
        Ending ending;
        bool was_idle;
        std::uint64_t requests;
        decltype(Worker::request_id) request_id;
        /// Its start was in vain, and the next one pauses; `late` has paused already.
        bool in_vain() const {
            return requests == 0 && ending != Ending::idle && ending != Ending::reload &&
                   ending != Ending::late;
        }
    };
    Ended ended(Worker& worker) noexcept;
    /// It may run a request, or has not shown yet that one is over.
    bool works(const Worker& worker) const;
    struct Orders {
        std::size_t start = 0;
        std::vector<std::shared_ptr<Worker>> stop;  ///< all that are stopping
        std::optional<Time> look_again;
    };
    Orders orders(Time may_start, Duration start_timeout, Time now);
    /// Ends all workers: ticketgate stops, and the loops have.
    void stop();
    /// Why the last start failed; empty: it did not.
    void trouble(std::string why);
    /// What has happened since the last call.
    struct News {
        bool started = false;  ///< a worker became idle
        std::optional<Time> served =
            {};  ///< when the youngest that did after a request was started
    };
    News news();

    // Any thread.
    std::string trouble() const;
    PoolFigures figures() const;
    std::vector<WorkerView> view() const;

 private:
    using Waiting = boost::intrusive::list<Waiter, boost::intrusive::base_hook<WaiterHook>>;
    friend class Waiter;
    class Bury;
    std::shared_ptr<Worker> make(Wire wire);
    void grant(Worker& worker, Waiter& waiter) noexcept;
    void change(Worker& worker, WorkerState state, Time now) noexcept;
    void show(Worker& worker) noexcept;
    static std::optional<Time> due(const Worker& worker, Duration start_timeout);
    static bool is_told(const Worker& worker) { return worker.ending != Ending::none; }
    void end_parted(Worker& worker, Time now) noexcept;
    void note_refusal(const Worker& worker, Time now);
    void rest(Worker& worker) noexcept;
    void heeds(Worker& worker) noexcept;
    void stop_using(Worker& worker, Time now) noexcept;
    void leave(Worker& worker) noexcept;
    void end(Worker& worker, Ending why, Time now) noexcept;
    void post(Worker& worker, Errand& errand) noexcept;
    void move_on(Worker& worker) noexcept;
    void at_home(Worker& worker, Errand& errand, bool (Link::*act)()) noexcept;
    void look_soon() noexcept;
    void look_when_idle_too_long(Time now) noexcept;

    const std::string name_;
    const std::function<void(const Pool&)> wake_;
    metrics::Histogram* const busy_seconds_;  // written under the mutex
    mutable std::mutex mutex_;                // guards what follows
    std::vector<std::shared_ptr<Worker>> workers_;
    Waiting waiting_;
    Bounds bounds_;
    std::uint32_t max_requests_ = 0;
    std::uint64_t last_number_ = 0;
    bool retired_ = false;
    News news_;
    Time next_look_{};
    std::atomic<bool> stops_{false};  // read without the mutex as well
    std::string trouble_;
};

}  // namespace ticketgate::spawn
