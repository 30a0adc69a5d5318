// Many requests from several loops pass one gate and do all that requests do: wait, upload, run,
// leave, time out, end at any step. Invariants: never more in flight than slots, grants in order,
// each ticket decided once, an empty line at the end.
#include <atomic>
#include <latch>
#include <ostream>
#include <random>
#include <thread>
#include <vector>

#include "task/task.hpp"
#include "world.hpp"

namespace ticketgate {
namespace {

struct Scenario {
    const char* name;
    unsigned seed;
    unsigned loops = 1;
    int clients = 16;
    int requests = 100;  // of each client
    std::uint32_t max_in_flight = 1;
    queue::Order order = queue::Order::ready;
    std::uint32_t max_waiting = 1024;
    // How many of a hundred requests…
    unsigned uploads = 0;      // have a body that comes later
    unsigned impatient = 0;    // have a deadline that may pass
    unsigned leave_early = 0;  // give up their place before they reach the home loop
    unsigned leave_late = 0;   // leave while they wait
    unsigned drop = 0;         // lose their session after the grant
    unsigned fail_open = 0;    // hold too long
    bool releases = false;     // an operator releases slots at any step
    bool reconfigure = false;
    std::uint32_t most_slots() const { return reconfigure ? 4 : max_in_flight; }
    bool fails_open() const { return fail_open != 0 || releases; }
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
    *out << scenario.name;
}

struct Running {
    explicit Running(unsigned index) : loop(index), thread([this] { loop.run(); }) {}
    ~Running() {
        loop.stop();
        thread.join();
    }
    net::Loop loop;
    std::thread thread;
};

struct Town {
    explicit Town(const Scenario& s) : scenario(s), done(s.clients) {
        for (unsigned i = 0; i < s.loops; ++i) loops.push_back(std::make_unique<Running>(i));
        const GateSettings settings{.limits = {.max_in_flight = s.max_in_flight, .order = s.order}};
        gate = std::make_shared<LocalGate>("q", settings, home(), registry);
    }
    net::Loop& home() { return loops.front()->loop; }
    bool at_home() const { return std::this_thread::get_id() == loops.front()->thread.get_id(); }

    const Scenario scenario;
    metrics::Registry registry;
    std::shared_ptr<Gate> gate;
    std::vector<std::unique_ptr<Running>> loops;
    std::latch done;

    // Used on the home loop only, without a lock: TSan reports a run on any other loop.
    std::uint32_t running = 0;
    std::vector<std::uint64_t> order;

    std::atomic<int> ran{0}, overfull{0};
    std::atomic<int> withdrawn{0};           // had the slot, and lost it before they could send
    std::atomic<int> ends[queue::states]{};  // by State
};

using Random = std::mt19937;

bool one_in(unsigned percent, Random& random) {
    return random() % 100 < percent;
}

// Waits for this many turns of the loop.
task<void> yield(net::Loop& loop, Signal& signal, unsigned times) {
    Deadline at_once(signal);
    for (unsigned i = 0; i < times; ++i) {
        loop.arm(at_once, Duration{0});
        while (!at_once.expired()) co_await signal;
    }
}

// The run: holds the slot for a few turns of the loop.
task<void> run(Town& town, Slot& slot, Signal& signal, Random& random) {
    EXPECT_TRUE(town.at_home());
    if (!slot.claims_backend()) {
        ++town.ran, ++town.withdrawn;
        co_return;
    }
    if (++town.running > town.scenario.most_slots() && !town.scenario.fails_open()) ++town.overfull;
    town.order.push_back(slot.number());
    ++town.ran;
    Deadline hold(signal);
    if (random() % 64 == 0) {
        town.home().arm(hold, milliseconds(1));
        while (!hold.expired()) co_await signal;
    }
    co_await yield(town.home(), signal, static_cast<unsigned>(random() % 3));
    --town.running;
    if (one_in(town.scenario.fail_open, random)) {
        slot.fail_open();
    } else if (random() % 2 == 0) {
        slot.give_back();
    }
}

// Waits in the queue, on the home loop. Returns true if it has the slot.
task<bool> wait_turn(Town& town, Place& place, Signal& signal, Random& random, const Entry& entry) {
    Deadline patience(signal), leaving(signal);
    if (entry.deadline != Time::max()) town.home().arm_from(patience, 1ms, entry.deadline - 1ms);
    const bool leaves = one_in(town.scenario.leave_late, random);
    if (leaves) town.home().arm(leaving, milliseconds(random() % 2));
    for (;;) {
        const State state = place.settle();
        if (state == State::granted) co_return !one_in(town.scenario.drop, random);
        if (state != State::waiting) co_return false;
        if (leaving.expired() && random() % 2 == 0)
            co_return false;  // the frame destroys the place
        if (leaving.expired()) (void)place.cancel(static_cast<GivenUp>(random() % 3));
        if (!leaving.expired()) co_await signal;
    }
}

task<void> take_part(Town& town, net::Loop& origin, const std::shared_ptr<Pass>& pass,
                     Random& random) {
    const Scenario& s = town.scenario;
    Entry entry;
    entry.max_waiting = s.max_waiting;
    entry.ready = !one_in(s.uploads, random);
    if (one_in(s.impatient, random)) entry.deadline = monotonic_now() + 1ms;
    if (town.gate->take(*pass, entry, origin) == State::full) co_return;
    Place place(town.gate, pass, origin);
    if (one_in(s.leave_early, random)) co_return;
    const bool whole_here = random() % 2 == 0;
    if (!entry.ready && whole_here) place.ready();

    Signal signal(origin.scheduler());
    co_await origin.move_to(town.home());
    signal.move_to(town.home().scheduler());
    place.arrive(signal);
    if (!entry.ready && !whole_here) {
        co_await yield(town.home(), signal, static_cast<unsigned>(random() % 4));
        place.ready();
    }
    const bool granted = co_await wait_turn(town, place, signal, random, entry);
    if (granted) {
        Slot slot = std::move(place).begin();
        if (!slot) co_return;
        co_await run(town, slot, signal, random);
    }
}

Detached client(Town& town, std::size_t at, unsigned seed) {
    Random random(seed);
    net::Loop& origin = town.loops[at]->loop;
    for (int i = 0; i < town.scenario.requests; ++i) {
        const auto pass = std::make_shared<Pass>();
        co_await take_part(town, origin, pass, random);
        net::Loop& here = town.at_home() ? town.home() : origin;
        ++town.ends[static_cast<std::size_t>(town.gate->settle(*pass, here))];
        if (town.at_home()) co_await town.home().move_to(origin);
    }
    town.done.count_down();
}

void reconfigure_until_done(Town& town) {
    std::uint32_t slots = 1;
    while (!town.done.try_wait()) {
        slots = slots % 4 + 1;
        town.gate->configure({.limits = {.max_in_flight = slots, .order = town.scenario.order}});
        // Once for each turn of the loop: a tight loop would only contend for the lock.
        std::latch turned(1);
        town.home().post([&] { turned.count_down(); });
        turned.wait();
    }
}

// Releases each number that holds a slot: before, during or after its run.
void release_until_done(Town& town) {
    while (!town.done.try_wait()) {
        for (const TicketView& holder : town.gate->view(GateView::most).in_flight)
            (void)town.gate->release({holder.number});
        std::latch turned(1);
        town.home().post([&] { turned.count_down(); });
        turned.wait();
    }
}

void play(Town& town) {
    for (int c = 0; c < town.scenario.clients; ++c) {
        const auto at = static_cast<std::size_t>(c) % town.loops.size();
        const unsigned seed = town.scenario.seed * 1000 + static_cast<unsigned>(c);
        town.loops[at]->loop.post([&town, at, seed] { client(town, at, seed); });
    }
    if (town.scenario.reconfigure) reconfigure_until_done(town);
    if (town.scenario.releases) release_until_done(town);
    town.done.wait();
    town.loops.clear();  // joins the threads, so their results may be read
}

int ended(const Town& town, State state) {
    return town.ends[static_cast<std::size_t>(state)];
}

void expect_everything_given_back(const Town& town) {
    const Scenario& s = town.scenario;
    EXPECT_TRUE(town.gate->figures().empty());
    EXPECT_EQ(town.running, 0u);
    EXPECT_EQ(town.overfull, 0) << "more in flight than slots";
    const int total = s.clients * s.requests;
    const int admitted = ended(town, State::left) + ended(town, State::released);
    EXPECT_EQ(admitted + ended(town, State::revoked) + ended(town, State::full) +
                  ended(town, State::expired) + ended(town, State::cancelled),
              total);
    EXPECT_LE(town.ran, admitted);
    EXPECT_GT(town.ran, 0);
}

void expect_metrics(const Town& town) {
    const auto& registry = town.registry;
    const int granted = ended(town, State::left) + ended(town, State::released);
    EXPECT_EQ(observations(registry, waits, "admitted"), town.ran);
    EXPECT_EQ(observations(registry, holds), town.ran);
    EXPECT_EQ(observations(registry, waits, "released"), ended(town, State::revoked));
    EXPECT_EQ(metric(registry, rejected, "released"), ended(town, State::revoked) + town.withdrawn);
    EXPECT_EQ(observations(registry, waits, "full"), ended(town, State::full));
    EXPECT_EQ(observations(registry, waits, "timeout"), ended(town, State::expired));
    EXPECT_EQ(observations(registry, waits, "client_closed") +
                  observations(registry, waits, "draining") +
                  observations(registry, waits, "refused"),
              ended(town, State::cancelled) + granted - town.ran);
    EXPECT_EQ(metric(registry, violations), ended(town, State::released) - town.withdrawn);
    EXPECT_EQ(metric(registry, "ticketgate_queue_waiting"), 0);
    EXPECT_EQ(metric(registry, "ticketgate_queue_in_flight"), 0);
}

// With one slot, requests run in order of grant; without uploads that is the order of arrival.
void expect_order(const Town& town) {
    const Scenario& s = town.scenario;
    if (s.most_slots() != 1 || s.fails_open()) return;
    if (s.uploads != 0 && s.order == queue::Order::ready) return;
    for (std::size_t i = 1; i < town.order.size(); ++i)
        ASSERT_LT(town.order[i - 1], town.order[i]) << "run " << i;
}

constexpr auto arrival = queue::Order::arrival;

const Scenario scenarios[] = {
    {.name = "OneLoop", .seed = 1, .clients = 64},
    {.name = "TwoLoops", .seed = 2, .loops = 2, .clients = 64},
    {.name = "FourLoops", .seed = 3, .loops = 4, .clients = 64},
    {.name = "NobodyMayWait", .seed = 4, .loops = 4, .max_waiting = 0},
    {.name = "FewMayWait", .seed = 5, .loops = 4, .clients = 32, .max_waiting = 8},
    {.name = "ManySlots", .seed = 6, .loops = 4, .clients = 64, .max_in_flight = 5},
    {.name = "Uploads", .seed = 7, .loops = 4, .uploads = 50},
    {.name = "UploadsInOrderOfArrival", .seed = 8, .loops = 4, .order = arrival, .uploads = 50},
    {.name = "Impatient", .seed = 9, .loops = 4, .clients = 48, .impatient = 70},
    {.name = "Leaving", .seed = 10, .loops = 4, .clients = 48, .leave_early = 20, .leave_late = 50},
    {.name = "LeavingAtTheHeadOfTheLine",
     .seed = 11,
     .loops = 4,
     .order = arrival,
     .uploads = 60,
     .impatient = 30,
     .leave_early = 10,
     .leave_late = 30,
     .drop = 10},
    {.name = "DyingWhenGranted", .seed = 12, .loops = 4, .drop = 50},
    {.name = "HeldTooLong", .seed = 13, .loops = 2, .fail_open = 20},
    {.name = "ReleasedOnOneLoop", .seed = 17, .clients = 32, .releases = true},
    {.name = "ReleasedOnTwoLoops", .seed = 18, .loops = 2, .clients = 32, .releases = true},
    {.name = "ReleasedOnFourLoops",
     .seed = 19,
     .loops = 4,
     .clients = 48,
     .leave_late = 20,
     .drop = 10,
     .fail_open = 5,
     .releases = true},
    {.name = "Reconfigured",
     .seed = 14,
     .loops = 4,
     .clients = 48,
     .uploads = 30,
     .reconfigure = true},
    {.name = "Everything",
     .seed = 15,
     .loops = 4,
     .clients = 48,
     .max_in_flight = 2,
     .max_waiting = 30,
     .uploads = 30,
     .impatient = 30,
     .leave_early = 10,
     .leave_late = 20,
     .drop = 10,
     .fail_open = 5,
     .reconfigure = true},
    {.name = "EverythingInOrderOfArrival",
     .seed = 16,
     .loops = 3,
     .clients = 48,
     .order = arrival,
     .uploads = 30,
     .impatient = 30,
     .leave_early = 10,
     .leave_late = 20,
     .drop = 10},
};

class GateScenario : public testing::TestWithParam<Scenario> {};

TEST_P(GateScenario, KeepsTheInvariants) {
    for (unsigned round = 0; round < 3; ++round) {
        Scenario scenario = GetParam();
        scenario.seed += round * 100;
        SCOPED_TRACE("seed " + std::to_string(scenario.seed));
        Town town(scenario);
        play(town);
        expect_everything_given_back(town);
        expect_metrics(town);
        expect_order(town);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, GateScenario, testing::ValuesIn(scenarios),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace ticketgate
