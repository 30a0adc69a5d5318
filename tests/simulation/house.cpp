#include "simulation/house.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "proxy/connection.hpp"

namespace ticketgate::sim {
namespace {

template <class T>
config::Setting<T> set(T value) {
    config::Setting<T> setting;
    setting.value = std::move(value);
    setting.mark.line = 1;
    return setting;
}

config::RouteNode route(const std::string& prefix, bool queued, const char* queue) {
    config::RouteNode node;
    node.prefix = prefix;
    node.overrides.upstream = set(std::to_string(port_of(prefix, queued)));
    node.overrides.queue =
        set(queued ? std::optional<std::string>(queue) : std::optional<std::string>());
    return node;
}

config::Queue queue_of(const QueuePlan& plan) {
    config::Queue queue;
    queue.max_in_flight = plan.limits.max_in_flight;
    queue.order =
        plan.limits.order == queue::Order::ready ? config::Order::ready : config::Order::arrival;
    queue.hold_timeout = std::chrono::duration_cast<milliseconds>(plan.hold_timeout);
    queue.on_hold_timeout = plan.on_hold_timeout == OnHoldTimeout::keep
                                ? config::OnHoldTimeout::keep
                                : config::OnHoldTimeout::release;
    queue.release = plan.worker_idle ? config::Release::worker_idle : config::Release::response;
    return queue;
}

config::Spool spool_of(const Plan& plan) {
    config::Spool spool;
    spool.memory_per_body = plan.spool_memory;
    spool.max_memory = plan.spool_max_memory;
    spool.max_disk = plan.spool_disk;
    return spool;
}

// Scripts call from there.
constexpr const char* backend_address = "10.0.0.9";

// A hold counts from the beginning of its run.
constexpr Duration grant_to_begin = 100ms;

// Otherwise no POST would use a kept connection: worlds are too short to prove a backend.
constexpr KeepPolicy::Limits trusting{.proven_by = 0, .outlived = 3600s};

}  // namespace

Ground::Ground(Level level) : log(level), access_log(memfd_create("access", MFD_CLOEXEC)) {}

Ground::~Ground() {
    ::close(access_log);
}

House::House(const Plan& plan, Ground& ground, Judge& judge, net::Connect connect)
    : loops(make_loops(plan.threads)),
      plan_(plan),
      ground_(ground),
      judge_(judge),
      a_(plan.a),
      c_(plan.c),
      knows_inside_(!plan.inside_by_reload),
      access_file_(ground.access_log) {
    (void)!::ftruncate(ground.access_log, 0);
    (void)::lseek(ground.access_log, 0, SEEK_SET);
    tell_limits();
    judge_.failed_open = [this](char queue) { return failed_open(queue); };
    assembly_.emplace(config(), Platform{.loops = loops,
                                         .resolver = ground.resolver,
                                         .metrics = metrics_,
                                         .log = ground.log,
                                         .access_log = access_file_,
                                         .connect = std::move(connect),
                                         .trust = plan.proven ? trusting : KeepPolicy::Limits{}});
    assembly_->commons().connection_closed = [] {};
    compare_pools();
}

// The backend's scripts have no status page to compare with.
void House::compare_pools() {
    constexpr std::string_view page = R"({"pool":"www"})";
    for (const auto& [name, upstream] : assembly_->snapshot()->upstreams)
        if (auto* const status = upstream->worker_status()) (void)status->compare_pools(page, page);
}

config::Config House::config() const {
    config::Config config;
    config.threads = plan_.threads;
    config.routes = {route("/a", true, "a"), route("/b", true, "a"), route("/c", c_exists_, "c"),
                     route("/free", false, "")};
    config.routes[0].overrides.skip_methods = set(std::vector<std::string>{"HEAD"});
    config::RouteOverrides& all = config.defaults;
    all.wait_timeout = set(plan_.wait_timeout);
    all.max_waiting = set(plan_.max_waiting);
    all.body_timeout = set(plan_.body_timeout);
    all.connect_timeout = set(plan_.connect_timeout);
    all.response_timeout = set(plan_.response_timeout);
    all.response_spool_max = set(plan_.response_spool_max);
    all.hold_back_timeout = set(plan_.hold_back_timeout);
    all.client_half_close =
        set(plan_.half_close_stays ? config::HalfClose::stay : config::HalfClose::leave);
    all.inside_calls = set(plan_.inside_calls);
    if (plan_.has_calls() && knows_inside_) config.clients.inside = {backend_address};
    config.clients.write_timeout = plan_.write_timeout;
    config.clients.idle_timeout = plan_.idle_timeout;
    config.clients.max_requests = plan_.max_requests;
    config.spool = spool_of(plan_);
    config.queues["a"] = queue_of(a_);
    if (c_exists_) config.queues["c"] = queue_of(c_);
    for (const auto& node : config.routes) {
        const std::string& port = *node.overrides.upstream.value;
        config.upstreams[port] = upstream(static_cast<std::uint16_t>(std::stoi(port)));
    }
    return config;
}

config::Upstream House::upstream(std::uint16_t port) const {
    config::Upstream upstream;
    upstream.host = "127.0.0.1";
    upstream.port = port;
    const Speech speech = speech_at(plan_, port);
    if (speech == Speech::http) return upstream;
    config::Fcgi& fcgi = upstream.fcgi.emplace();
    fcgi.root = "/app";
    fcgi.script = std::nullopt;  // each request has a script: the workers' status tells them apart
    fcgi.keep_alive = speech == Speech::fcgi_kept;
    config::FcgiStatus& status = fcgi.status.emplace();
    status.host = "127.0.0.1";
    status.port = status_port;
    return upstream;
}

void House::tell_limits() {
    judge_.limit('a', a_.limits);
    if (c_exists_) judge_.limit('c', c_.limits);
}

Gate* House::gate(char queue) const {
    if (queue == 'c' && !c_exists_) return nullptr;
    return assembly_->gates().find(std::string(1, queue));
}

// As Front does.
void House::admit(Link& link, std::size_t index, bool inside) {
    const auto admission = std::make_shared<Admission>(assembly_->commons());
    Station& first = assembly_->station(0);
    Station& settle_on = assembly_->station(index);
    first.loop.post([&first, &settle_on, &link, admission, inside, arrived = clock.now] {
        auto stream = link.stream(first.loop);
        try {
            ticketgate::Caller caller;
            caller.arrived_after = arrived - 1ns;
            caller.peer = ticketgate::Peer{.ip = inside ? backend_address : "10.0.0.1", .port = 80};
            Connection::serve(std::make_unique<Connection>(first, settle_on, std::move(stream),
                                                           std::move(caller), std::move(*admission),
                                                           true));
        } catch (const std::bad_alloc&) {
            // Closes the connection, as Front does.
        }
    });
}

void House::reload(Random& random) {
    a_.limits.max_in_flight = random.one_of({plan_.a.limits.max_in_flight, 1u, 2u, 4u});
    if (random.chance(30)) a_.limits.order = queue::Order::arrival;
    if (random.chance(50)) c_exists_ = !c_exists_;
    knows_inside_ = true;
    judge_.reloads(c_exists_);
    tell_limits();
    assembly_->reload(config());
    compare_pools();
}

void House::drain() {
    drains_ = true;
    assembly_->drain();
}

// Those granted before it may run.
void House::pause() {
    if (drains_) return;
    was_paused_ = true;
    assembly_->gates().for_each([this](Gate& gate) {
        gate.pause(until_resumed);
        if (gate.name() == "a") in_flight_a_ = gate.figures().in_flight;
        if (gate.name() == "c") in_flight_c_ = gate.figures().in_flight;
    });
}

void House::resume() {
    assembly_->gates().for_each([](Gate& gate) { gate.resume(); });
}

void House::stop() {
    drains_ = true;
    judge_.stops();
    assembly_->send_nothing_new();
    assembly_->gates().for_each([this](const Gate& gate) {
        for (const TicketView& holder : gate.view(GateView::most).in_flight)
            if (!holder.sent) judge_.tells_unsent(id_in(holder.label.target()));
    });
    steps_to_stop_ = 8;
}

// The ticket granted last: it may not have begun yet.
void House::release() {
    for (const char queue : {'a', 'c'}) {
        Gate* const gate = this->gate(queue);
        if (gate == nullptr || gate->figures().in_flight == 0) continue;
        const GateView view = gate->view(GateView::most);
        const bool call = !view.inside.empty() && view.inside.back().holds;
        const TicketView newest = call ? view.inside.back() : view.in_flight.back();
        const std::uint64_t before = failed_open(queue);
        const Release release = gate->release({newest.number}).how;
        judge_.releases(queue, id_in(newest.label.target()), release, failed_open(queue) - before);
    }
}

void House::frees(Gate& gate, std::uint64_t id, std::uint64_t number) {
    const char queue = gate.name().front();
    const std::uint64_t before = failed_open(queue);
    const Release release = gate.release({number}).how;
    judge_.frees(queue, id, release, failed_open(queue) - before);
}

// The queue may have left the config since.
void House::release(std::uint64_t id) {
    assembly_->gates().for_each([&](Gate& gate) {
        for (const TicketView& holder : gate.view(GateView::most).in_flight)
            if (id_in(holder.label.target()) == id) frees(gate, id, holder.number);
    });
}

// ── checks ──

bool House::cut() {
    if (std::exchange(steps_to_stop_, 0) == 0) return false;
    judge_.cuts();
    assembly_->stop();
    return true;
}

// Between what a stop tells and what it does, the loops go on.
void House::check() {
    if (steps_to_stop_ == 1) (void)cut();
    if (steps_to_stop_ > 1) --steps_to_stop_;
    for (const char queue : {'a', 'c'})
        if (Gate* const gate = this->gate(queue)) check(queue, *gate);
}

void House::check_unsent() {
    assembly_->gates().for_each([this](const Gate& gate) {
        for (const TicketView& holder : gate.view(GateView::most).in_flight)
            if (holder.sent) judge_.fail("a request is shown as sent without a connection");
    });
}

void House::check(char queue, Gate& gate) {
    Line& line = *judge_.line(queue);
    auto& before = queue == 'a' ? in_flight_a_ : in_flight_c_;
    const std::uint32_t in_flight = gate.figures().in_flight, waiting = gate.figures().waiting;
    if (in_flight > line.limit && in_flight > before)
        judge_.fail(std::string("queue ") + queue + " granted a slot above its limit");
    const bool paused = gate.figures().paused();
    if (paused && in_flight > before)
        judge_.fail(std::string("queue ") + queue + " granted a slot while it was paused");
    if (in_flight <= line.limit) line.allowed = line.limit;
    before = in_flight;
    const std::uint32_t free = line.limit > in_flight ? line.limit - in_flight : 0;
    if (waiting >= plan_.max_waiting + free) line.last_full = judge_.moment;
    if (plan_.bodiless() && !was_paused_ && waiting > plan_.max_waiting)
        judge_.fail(std::string("queue ") + queue + ": more wait than max_waiting");
    if (free > 0 && waiting > 0 && !paused) check_idle_slot(queue, gate);
    if (in_flight > 0 && !plan_.bodiless()) check_holders(queue, gate);
    // Stopping gives up on what runs; until then a slot is held as long as the backend runs.
    const std::uint32_t held = in_flight + gate.figures().inside;
    if (!judge_.stopping() && line.running > held + line.failed_open &&
        line.running > held + judge_.count_failed_open(queue))
        judge_.fail(std::string("queue ") + queue + ": a request runs without a slot");
}

// CONTRACT 1.2: a request waits for its upload without a slot.
void House::check_holders(char queue, const Gate& gate) {
    for (const TicketView& holder : gate.view(GateView::most).in_flight)
        if (judge_.story(id_in(holder.label.target())).read == 0)
            judge_.fail(std::string("queue ") + queue + ": number " +
                        std::to_string(holder.number) + " has a slot before its body");
}

void House::check_quiet(bool jumped) {
    judge_.quiet();
    if (jumped) return;
    check_holds('a', a_);
    check_holds('c', c_);
}

// CONTRACT 2.5: by now every deadline that has passed was handled.
void House::check_holds(char queue, const QueuePlan& plan) {
    Gate* const gate = this->gate(queue);
    if (gate == nullptr || gate->figures().in_flight == 0) return;
    if (plan.hold_timeout == never || plan.on_hold_timeout == OnHoldTimeout::keep) return;
    if (plan_.has_calls()) return;  // a call within a hold has a hold_timeout of its own
    for (const TicketView& holder : gate->view(GateView::most).in_flight)
        if (holder.since > plan.hold_timeout + grant_to_begin)
            judge_.fail(std::string("queue ") + queue + ": number " +
                        std::to_string(holder.number) + " holds its slot past hold_timeout");
}

// Any operation that frees a slot, raises the limit or completes a body grants the slot at once.
void House::check_idle_slot(char queue, Gate& gate) {
    const GateView view = gate.view(plan_.max_waiting);
    const bool in_order = gate.settings().limits.order == queue::Order::arrival;
    const auto looked_at =
        in_order ? std::min<std::size_t>(1, view.waiting.size()) : view.waiting.size();
    for (std::size_t i = 0; i < looked_at; ++i)
        if (view.waiting[i].ready)
            judge_.fail(std::string("queue ") + queue + ": a slot is free and number " +
                        std::to_string(view.waiting[i].number) + " waits");
}

std::uint64_t House::failed_open(char queue) const {
    for (const auto& family : metrics_.collect()) {
        if (family.name != "ticketgate_exclusion_violations_total") continue;
        for (const auto& series : family.series)
            if (series.labels.at(0).second == std::string(1, queue))
                return static_cast<std::uint64_t>(series.value);
    }
    return 0;
}

void House::check_empty() {
    const auto must = [&](bool holds, const char* what) {
        if (!holds) judge_.fail(what);
    };
    const Commons& commons = assembly_->commons();
    must(commons.connections == 0, "a session is left");
    must(commons.runs == 0, "a run is left");
    must(commons.spool.memory() == 0 && commons.spool.disk() == 0, "spooled bytes are left");
    assembly_->gates().for_each(
        [&](const Gate& gate) { must(gate.figures().empty(), "a ticket or a slot is left"); });
    judge_.check_failed_open('a', plan_.a);
    judge_.check_failed_open('c', plan_.c);
}

std::string House::access_log() {
    assembly_.reset();  // the last lines
    std::string text(static_cast<std::size_t>(::lseek(ground_.access_log, 0, SEEK_END)), '\0');
    (void)!::pread(ground_.access_log, text.data(), text.size(), 0);
    return text;
}

}  // namespace ticketgate::sim
