// Starts, watches and ends the worker processes of all pools. Owned by App; control thread. It
// decides nothing: spawn/plan says how many workers there should be.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "log/log.hpp"
#include "metrics/registry.hpp"
#include "net/loop.hpp"
#include "spawn/child.hpp"
#include "spawn/pool.hpp"

namespace ticketgate::spawn {

enum class Transport : std::uint8_t { socket, descriptors };

/// What the workers of a pool are. Workers of another recipe belong to another pool.
struct Recipe {
    Command command;
    Transport transport = Transport::socket;
    std::string directory;  ///< for the short life of a socket's name
    Duration start_timeout = 10s, stop_timeout = 10s;
    bool operator==(const Recipe&) const = default;
};

/// Makes the loop's side of a new worker.
using MakeLink = std::function<std::unique_ptr<Link>(const std::shared_ptr<Pool>&, Worker&)>;

class Output;
class Voice;

/// The most pipes, of all pools, that background jobs hold open when their workers have ended.
inline constexpr std::size_t most_pipes_of_jobs = 32;

/// The descriptors that ticketgate opens for one worker: its name, its listening socket, its pipe,
/// its process, the size of that, its connection and the next one.
inline constexpr std::uint64_t descriptors_of_a_worker = 7;

class Supervisor {
 public:
    /// `loops` hold the workers; they outlive this. `most_workers`: of all pools; the descriptors
    /// of more would be missing for requests.
    Supervisor(boost::asio::io_context& io, Log& log, metrics::Registry& metrics,
               std::vector<net::Loop*> loops,
               std::size_t most_workers = std::numeric_limits<std::size_t>::max());
    ~Supervisor();

    /// A pool without workers, until the config that has it is in force.
    std::shared_ptr<Pool> make(const std::string& name, const Recipe& recipe, MakeLink link);
    /// Exactly these pools are in force: the others end when no request needs them.
    void adopt(const std::vector<std::shared_ptr<Pool>>& pools);
    /// A child has ended. As process 1 of a container, reaps the orphans of others as well.
    void reap();
    /// Begins to end all workers: SIGTERM, after stop_timeout SIGKILL. The loops have stopped. When
    /// none is left, calls `ended` in a turn of the control thread, which reads what they still
    /// write.
    void end(std::function<void()> ended);
    /// From now on, a worker that is to end is killed.
    void hurry();
    bool ended() const;
    /// Those in force, then those that end.
    std::vector<std::shared_ptr<Pool>> pools() const;

 private:
    class Crew;
    Crew* crew_of(const Pool& pool);
    void forget_soon();
    void read_on(std::shared_ptr<Output> output, std::shared_ptr<Voice> voice) noexcept;
    void look_at_left();
    void reap_orphans();
    bool is_full() const;
    void tell_if_ended();
    void end_all();
    boost::asio::io_context& io_;
    Log& log_;
    metrics::Registry& metrics_;
    const std::vector<net::Loop*> loops_;
    std::vector<std::shared_ptr<Crew>> crews_;
    const std::size_t most_workers_;
    // The output of background jobs whose worker has ended.
    struct Left {
        std::shared_ptr<Output> output;
        std::shared_ptr<Voice> voice;
    };
    std::vector<Left> left_;  // the longest first
    boost::asio::steady_timer left_timer_;
    bool looks_at_left_ = false;
    std::function<void()> tell_ended_{};  // empty: nobody waits for it
};

}  // namespace ticketgate::spawn
