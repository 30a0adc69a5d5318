// One simulated world: the proxy, its clients, its backend and its operator, on one thread under
// one clock. Each step lets one of them do one thing, as the seed says; time passes when nobody can
// do anything, and a little now and then. The same plan and seed give the same world.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulation/backend.hpp"
#include "simulation/client.hpp"
#include "simulation/house.hpp"

namespace ticketgate::sim {

/// An event outside the plan, at one step: the sweep of all cancellations uses it.
struct Injection {
    enum class Kind : std::uint8_t {
        nothing,
        client_fin,
        client_rst,
        backend_fin,
        backend_rst,
        time_passes,
        stop,
        drain,
        reload,
        release,    ///< by an operator: of the oldest slot that is held
        no_memory,  ///< from the `step`th piece that the proxy asks for, `count` are refused
        no_blocks   ///< no piece of 64 KiB is given out at all; all requests are served without
    };
    Kind kind = Kind::nothing;
    std::uint64_t step = 0;
    std::size_t client = 0;
    Duration time = Duration{};
    std::uint64_t count = 0;
};

class World {
 public:
    World(const Plan& plan, std::uint64_t seed, Ground& ground, bool print);

    /// Runs the world to its end. Returns the failure, or nothing.
    std::string run(std::span<const Injection> injections = {});
    std::uint64_t steps() const { return trace_.step; }
    std::uint64_t hash() const { return trace_.hash(); }
    const Judge& judge() const { return judge_; }

 private:
    struct Choice {
        Actor* actor = nullptr;  // or
        int loop = -1;
        std::uint32_t weight = 1;
    };
    void step();
    void inject(const Injection& injection);
    bool over();
    bool clients_done() const;
    void collect(bool nested);
    bool due(std::size_t loop) const;
    void go_on();
    void act(const Choice& choice);
    void turn(std::size_t loop);
    void interrupt();
    void let_time_pass();
    void let_time_run(Duration time);
    void act_of_operator(Act::Kind kind);
    void settle_accounts();

    const Plan& plan_;
    Random random_;
    Trace trace_;
    Network network_;
    Judge judge_;
    Stage stage_;
    Backend backend_;
    std::vector<std::unique_ptr<Client>> clients_;
    House house_;
    std::vector<Act> acts_;
    std::vector<Choice> choices_;
    std::vector<std::uint32_t> loop_weights_;
    std::vector<bool> on_stack_;
    std::size_t next_loop_ = 0;
    std::uint64_t interrupted_ = 0;
    bool ending_ = false, jumped_ = false;
};

}  // namespace ticketgate::sim
