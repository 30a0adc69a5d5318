#include "simulation/world.hpp"

#include <algorithm>

#include "simulation/memory.hpp"

namespace ticketgate::sim {
namespace {

constexpr std::uint64_t most_steps = 400'000;
constexpr std::size_t one_block = 64 << 10;
constexpr Duration longest = 2h;  // of virtual time: no wait in any plan adds up to that

}  // namespace

World::World(const Plan& plan, std::uint64_t seed, Ground& ground, bool print)
    : plan_(plan),
      random_(seed ^ 0x5eed),
      trace_(print),
      network_(random_, trace_),
      judge_((clock.reset(), plan), trace_),
      stage_{random_, trace_, judge_, {}, {}},
      backend_(stage_, plan, network_),
      house_(plan, ground, judge_,
             [this](net::Loop& loop, const net::Endpoint& to, int& error) {
                 const memory::Running world(false);
                 if (backend_.connections().empty()) house_.check_unsent();
                 return backend_.connect(loop, to, error);
             }),
      acts_(plan.acts),
      loop_weights_(plan.threads, 1),
      on_stack_(plan.threads, false) {
    std::uint64_t id = 1;
    for (const ClientPlan& client : plan.clients) {
        clients_.push_back(std::make_unique<Client>(stage_, client, clients_.size(), id));
        id += client.asks.size();
        if (plan.uneven) clients_.back()->weight = random_.one_of({1u, 1u, 10u});
    }
    if (plan.uneven)
        for (auto& weight : loop_weights_) weight = random_.one_of({1u, 3u, 20u});
    std::stable_sort(acts_.begin(), acts_.end(),
                     [](const Act& a, const Act& b) { return a.at > b.at; });
    stage_.tell = [this](Moment moment, std::uint64_t about) {
        for (auto& client : clients_) client->hear(moment, about);
    };
    stage_.ended_unheard = [this](std::uint64_t about) { house_.release(about); };
    network_.interrupt = [this] { interrupt(); };
}

std::string World::run(std::span<const Injection> injections) {
    memory::refuse(0, 0);
    memory::limit(memory::no_limit);
    for (const Injection& injection : injections) {
        if (injection.kind == Injection::Kind::no_blocks) memory::limit(one_block - 1);
        if (injection.kind == Injection::Kind::no_memory) {
            memory::refuse(injection.step, injection.count);
            judge_.memory_runs_short();
        }
    }
    while (!judge_.failed() && !over()) {
        ++trace_.step;
        for (const Injection& injection : injections)
            if (trace_.step == injection.step) inject(injection), house_.check();
        step();
        house_.check();
        if (trace_.step > most_steps || clock.now - Clock::begin > longest)
            judge_.fail("the world does not come to its end");
    }
    if (!judge_.failed()) settle_accounts();
    return judge_.failure();
}

// ── who may go on ──

void World::step() {
    while (!acts_.empty() && clock.now >= Clock::begin + acts_.back().at) {
        const Act::Kind kind = acts_.back().kind;
        acts_.pop_back();
        act_of_operator(kind);
        house_.check();  // a second reload may take back what the first one has just allowed
    }
    if (random_.chance(plan_.delays)) clock.now += Duration(std::int64_t(random_.below(200'000)));
    collect(false);
    if (!choices_.empty()) return go_on();
    if (over()) return;
    collect(false);  // the end of the last client set something going
    if (!choices_.empty()) return go_on();
    if (!house_.cut()) let_time_pass();
}

bool World::due(std::size_t loop) const {
    net::Loop& l = *house_.loops[loop];
    if (l.busy() || !network_.untold[loop].empty()) return true;
    const auto next = l.next_deadline();
    return next && *next <= clock.now;
}

void World::collect(bool nested) {
    choices_.clear();
    for (std::size_t i = 0; i < house_.loops.size(); ++i)
        if (!on_stack_[i] && due(i)) choices_.push_back({nullptr, int(i), loop_weights_[i]});
    for (auto& client : clients_)
        if (client->at() <= clock.now && (!nested || client->started()))
            choices_.push_back({client.get(), -1, client->weight});
    for (const auto& connection : backend_.connections())
        if (connection->at() <= clock.now)
            choices_.push_back({connection.get(), -1, connection->weight});
}

void World::go_on() {
    std::uint64_t total = 0;
    for (const Choice& choice : choices_) total += choice.weight;
    std::uint64_t at = random_.below(total);
    for (const Choice& choice : choices_) {
        if (at < choice.weight) return act(Choice(choice));
        at -= choice.weight;
    }
}

void World::act(const Choice& choice) {
    if (choice.loop >= 0) return turn(static_cast<std::size_t>(choice.loop));
    auto* client = dynamic_cast<Client*>(choice.actor);
    if (client != nullptr && !client->started()) {
        Link& link = network_.connection(false, client->capacity());
        client->start(link);
        // As Front does: in turn.
        return house_.admit(link, next_loop_++ % house_.loops.size(), client->inside());
    }
    choice.actor->act();
}

// A batch of events, then what they set going. Not all that has happened need have been told.
void World::turn(std::size_t loop) {
    auto& untold = network_.untold[loop];
    std::vector<Link*> batch;
    const bool all = random_.chance(70);
    for (Link* link : untold)
        if (all || random_.chance(50)) batch.push_back(link);
    std::erase_if(untold, [&](Link* link) {
        return std::find(batch.begin(), batch.end(), link) != batch.end();
    });
    trace_.note('T', loop, batch.size(), [] { return std::string("turns"); });
    on_stack_[loop] = true;
    const memory::Running proxy(true);
    for (Link* link : batch) link->tell();
    house_.loops[loop]->turn(plan_.resumes);
    on_stack_[loop] = false;
}

// Inside a system call: another actor acts, or another loop's thread goes on.
void World::interrupt() {
    if (!random_.chance(plan_.interrupts) || interrupted_ >= 2) return;
    const memory::Running world(false);
    ++interrupted_;
    if (random_.chance(plan_.releases)) house_.release();
    collect(true);
    if (!choices_.empty()) go_on();
    --interrupted_;
}

void World::let_time_pass() {
    house_.check_quiet(jumped_);
    Time next = Time::max();
    for (auto& loop : house_.loops)
        if (const auto deadline = loop->next_deadline()) next = std::min(next, *deadline);
    for (auto& client : clients_) next = std::min(next, client->at());
    for (const auto& connection : backend_.connections()) next = std::min(next, connection->at());
    if (!acts_.empty()) next = std::min(next, Clock::begin + acts_.back().at);
    if (next == Time::max()) return judge_.fail("deadlock: nobody will ever do anything again");
    clock.now = std::max(clock.now, next);
}

// ── from outside ──

void World::act_of_operator(Act::Kind kind) {
    trace_.note('O', 0, static_cast<std::uint64_t>(kind),
                [&] { return "operator: " + std::to_string(int(kind)); });
    switch (kind) {
        case Act::Kind::reload:
            return house_.reload(random_);
        case Act::Kind::drain:
            judge_.drains();
            return house_.drain();
        case Act::Kind::stop:
            return house_.stop();
        case Act::Kind::release:
            return house_.release();
        case Act::Kind::pause:
            return house_.pause();
        case Act::Kind::resume:
            return house_.resume();
        case Act::Kind::step_clock:
            clock.wall_step_us += std::int64_t(random_.below(20'000'000)) - 10'000'000;
    }
}

void World::inject(const Injection& injection) {
    using enum Injection::Kind;
    trace_.note('I', 0, static_cast<std::uint64_t>(injection.kind),
                [&] { return "injected: " + std::to_string(int(injection.kind)); });
    const auto client = injection.client;
    if (injection.kind == client_fin) clients_[client]->leave(Leave::Way::fin);
    if (injection.kind == client_rst) clients_[client]->leave(Leave::Way::rst);
    if (injection.kind == backend_fin || injection.kind == backend_rst) {
        judge_.backend_goes();
        backend_.die(injection.kind == backend_rst);
    }
    if (injection.kind == time_passes) let_time_run(injection.time);
    if (injection.kind == stop) house_.stop();
    if (injection.kind == drain) act_of_operator(Act::Kind::drain);
    if (injection.kind == reload) house_.reload(random_);
    if (injection.kind == release) house_.release();
}

// Any wait that lasts now may have lasted too long.
void World::let_time_run(Duration time) {
    clock.now += time;
    jumped_ = true;
    judge_.time_passes();
}

// ── the end ──

bool World::clients_done() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->done(); });
}

// When the clients are done the proxy drains; the last orphans run out.
bool World::over() {
    if (!clients_done()) return false;
    if (!ending_ && plan_.has_calls()) judge_.drains();  // of requests that are still in line
    if (!ending_) house_.drain();
    ending_ = true;
    if (!house_.empty()) return false;
    for (std::size_t i = 0; i < house_.loops.size(); ++i)
        if (house_.loops[i]->busy()) return false;
    return true;
}

void World::settle_accounts() {
    house_.check_empty();
    house_.retire();
    if (network_.open_ends != 0) judge_.fail("a connection is left open");
    backend_.die(true);
    const std::string log = house_.access_log();
    for (std::size_t at = 0; at < log.size();) {
        const auto end = log.find('\n', at);
        judge_.log_line(std::string_view(log).substr(at, end - at));
        at = end + 1;
    }
    judge_.close();
}

}  // namespace ticketgate::sim
