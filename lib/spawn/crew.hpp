// The processes of one pool. Part of the supervisor; control thread.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "metrics/callbacks.hpp"
#include "spawn/group.hpp"
#include "spawn/output.hpp"
#include "spawn/supervisor.hpp"
#include "spawn/voice.hpp"
#include "spawn/wire.hpp"

namespace ticketgate::spawn {

/// The metrics of one pool.
struct CrewMetrics {
    CrewMetrics(metrics::Registry& registry, const std::string& upstream);
    ~CrewMetrics();
    void watch(const Pool& pool);
    metrics::Counter& deaths(const std::string& reason);

    metrics::Registry& registry;
    const std::string upstream;
    metrics::Counter& starts;
    metrics::Histogram& busy_seconds;
    std::map<std::string, metrics::Counter*> by_reason;
    metrics::Callbacks gauges{registry};
};

/// Its timer and the reports of its children may still call a crew that was forgotten: what they
/// wait for can have happened before.
class Supervisor::Crew : public std::enable_shared_from_this<Crew> {
 public:
    Crew(Supervisor& supervisor, std::string name, Recipe recipe, MakeLink link);

    const std::shared_ptr<Pool>& pool() const { return pool_; }
    /// Starts and stops what the plan says.
    void look();
    /// Notes the end of a child. False: it is none of these.
    bool reap(pid_t pid);
    /// The same for all workers that have ended.
    void reap();
    void in_force(bool yes);
    /// From now on, a worker that is to end is killed.
    void hurry() { at_once_ = true; }
    bool has(pid_t pid) const { return children_.contains(pid); }
    bool empty() const { return children_.empty(); }
    std::size_t size() const { return children_.size(); }
    /// None is left, but for those that not even SIGKILL ends: a disk that hangs holds them.
    bool ended() const;
    std::vector<pid_t> pids() const;
    /// Requests of an earlier snapshot may still wait in a queue: they hold the pool.
    bool over() const { return !in_force_ && empty() && pool_.use_count() == 1; }

 private:
    using Report = boost::asio::posix::stream_descriptor;
    /// Its process has ended.
    struct Dies {
        Time since, look_at;
        bool told = false;
    };
    struct Child {
        std::shared_ptr<Worker> worker;
        std::shared_ptr<Output> output;
        std::shared_ptr<Voice> voice;
        std::unique_ptr<Report> report;  // until its program runs
        std::optional<Dies> dies = {};   // while others of its group do not end
    };
    void start_one();
    void begin_one(Wires wires);
    void note_begun(const std::shared_ptr<Worker>& worker, Begun& begun, Descriptor pipe);
    void forget(Worker& worker, pid_t pid);
    void wait_for_birth(pid_t pid, Child& child);
    void look_at_birth(pid_t pid);
    void note_birth(Child& child);
    void bury_unborn(pid_t pid, const NotStarted& why);
    bool ends_before_birth(pid_t pid, const Child& child);
    void tell_not_started(const NotStarted& why);
    void end(Worker& worker);
    Rest rest_of(pid_t pid, Child& child);
    void tell_dying(const Worker& worker);
    void tell_hidden();
    void note_late(Time now);
    void note_end(const Worker& worker, const Pool::Ended& was, int status);
    void tell_end(const Worker& worker, const Pool::Ended& was, int status);
    void look_at(Time when);
    void look_soon();

    Supervisor& supervisor_;
    const Recipe recipe_;
    const MakeLink make_link_;
    CrewMetrics metrics_;
    const std::shared_ptr<Pool> pool_;
    std::map<pid_t, Child> children_;
    StartPause pause_;
    const std::shared_ptr<LineLimit> lines_ = std::make_shared<LineLimit>();
    boost::asio::steady_timer timer_;
    std::size_t next_loop_ = 0;
    bool in_force_ = false;
    bool at_once_ = false;
    bool hidden_told_ = false;
    Time look_at_dying_ = Time::max();  // at what a worker has left in its group
};

}  // namespace ticketgate::spawn
