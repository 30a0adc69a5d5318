#include "replica/replica.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/spare_memory.hpp"
#include "replica/changes.hpp"

namespace ticketgate::replica {
namespace {

namespace asio = boost::asio;

// How often keepers look at their gates and clocks when no event drives them, and how soon a call
// of the store that failed is repeated.
constexpr milliseconds beat = 100ms;
constexpr milliseconds short_beat = 20ms;  // while a line is handed over
constexpr Duration quick = 1s;             // a hand-over that takes longer waits for a long request
// Looks and renewals in the time of one lease.
constexpr int looks_a_lease = 3;

cluster::Replica listing_of(const Settings& settings) {
    cluster::Replica out{settings.self, settings.version, {}, wall_now()};
    for (const auto& [name, queue] : settings.queues) out.queues.emplace(name, queue.text);
    return out;
}

}  // namespace

Replica::Replica(Settings settings, Log& log)
    : log_(log),
      settings_(std::move(settings)),
      between_looks_(Duration(settings_.lease) / looks_a_lease),
      store_(io_, settings_.store, settings_.cluster, listing_of(settings_), settings_.lease,
             settings_.timed),
      sharing_(settings_.self, settings_.lease),
      next_look_(io_),
      next_announce_(io_),
      next_tick_(io_) {
    for (const auto& [name, queue] : settings_.queues) {
        Line::Wants wants{[this] { asio::post(io_, [this] { drive_all(); }); },
                          [this] { asio::post(io_, [this] { look_now(); }); }};
        auto line = std::make_unique<Line>(name, settings_.self, queue.keeper, std::move(wants));
        lines_.emplace(name, std::move(line));
    }
}

Replica::~Replica() {
    stop();
}

void Replica::stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    for (const auto& [name, line] : lines_) line->stop();
}

void Replica::join(const std::string& queue, std::shared_ptr<LocalGate> gate) {
    line_of(queue).join(std::move(gate));
}

void Replica::start() {
    run(look_again_and_again());
    run(announce_again_and_again());
    run(tick());
    thread_ = std::jthread([this] {
        wait_for_memory_on_this_thread(settings_.lease);
        io_.run();
    });
}

// An exception in such work, as when there is no memory for a lease, must end the process: a keeper
// may have changed by half.
void Replica::run(Awaitable<void> work) {
    asio::co_spawn(io_, std::move(work), [](const std::exception_ptr& failed) {
        if (failed) std::rethrow_exception(failed);
    });
}

bool Replica::stop_granting() {
    for (const auto& [name, line] : lines_) line->stop();
    return std::ranges::none_of(lines_, [](const auto& one) { return one.second->holds_slots(); });
}

void Replica::drain() {
    asio::post(io_, [this] {
        for (const auto& [name, line] : lines_) line->drain();
        drive_all();
    });
}

bool Replica::is_rid() const {
    const std::lock_guard lock(seen_lock_);
    return std::ranges::all_of(seen_, [](const auto& one) { return one.second.rid; });
}

void Replica::configure(Queues queues) {
    asio::post(io_, [this, queues = std::move(queues)] {
        for (const auto& [name, settings] : queues) {
            const auto found = lines_.find(name);
            if (found == lines_.end()) continue;
            found->second->configure(settings.keeper);
            store_.relist(name, settings.text);
        }
        next_announce_.cancel();
    });
}

Replica::Awaitable<void> Replica::pause(asio::steady_timer& timer, Time until) {
    error_code cut_short;
    timer.expires_at(until);
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cut_short));
}

Replica::Awaitable<void> Replica::look_again_and_again() {
    for (;;) {
        look_wanted_ = false;
        const Time begun = look_begun_ = monotonic_now();
        const std::uint64_t number = ++looks_;
        const cluster::Memory known = memory_;
        const Look look = co_await store_.look();
        if (look.contents)
            apply(look, number, judged(known.check(*look.contents)));
        else
            tell(look.why);
        look_failed_ = !look.contents;
        if (usable_ && look.contents && look_wanted_) continue;
        co_await pause(next_look_, begun + (look_failed_ ? Duration(beat) : between_looks_));
    }
}

// Not sooner than a beat after one that failed: a refused connection fails at once. Contents that
// are not believed are no reason for another look.
void Replica::look_now() {
    look_wanted_ = true;
    if (!look_failed_ && usable_) next_look_.cancel();
}

// Once a store has shown less than was known of it, what it shows later proves nothing: other
// writes make up for its revisions.
std::string Replica::judged(const std::string& why) {
    if (refused_.empty() && !why.empty() && !memory_.id().empty())
        refused_ = why + " (refused until this replica is restarted)";
    return refused_.empty() ? why : refused_;
}

// `why`: why these contents cannot be believed; empty: they can.
void Replica::apply(const Look& look, std::uint64_t number, const std::string& why) {
    const bool listed = look.contents->lists(settings_.self.id);
    tell(why);
    usable_ = why.empty();
    {
        const std::lock_guard lock(seen_lock_);
        contents_ = std::make_shared<const cluster::Contents>(*look.contents);
    }
    if (usable_) memory_.remember(*look.contents);
    compare(*look.contents);
    compare_address(*look.contents);
    if (!usable_ || !listed) sure_until_ = {};
    if (!listed) store_.forget_listing();
    if (usable_ && listed) sure_until_ = look.sent + Duration(settings_.lease) * 9 / 10;
    if (usable_ && !listed) next_announce_.cancel();
    for (const auto& [name, line] : lines_) {
        if (usable_)
            line->saw(cluster::sight_of(*look.contents, name, settings_.self.id), number,
                      sure_until_);
        drive(*line);
    }
}

Replica::Awaitable<void> Replica::announce_again_and_again() {
    for (;;) {
        const Time begun = monotonic_now();
        std::string why;
        const bool was_full = store_.is_full();
        if (usable_) why = co_await store_.announce();
        if (store_.is_full()) tell_write(why);
        if (was_full && !store_.is_full()) tell_write("");
        note_space();
        if (usable_ && sure_until_ == BootTime() && why.empty()) look_now();
        const bool soon = usable_ && !why.empty() && !store_.is_full();
        co_await pause(next_announce_, begun + (soon ? Duration(beat) : between_looks_));
    }
}

Replica::Awaitable<void> Replica::tick() {
    for (;;) {
        (void)refill_spare_memory();
        drive_all();
        tell_problem();
        co_await pause(next_tick_, monotonic_now() + (is_handing_over() ? short_beat : beat));
    }
}

bool Replica::is_handing_over() const {
    return std::ranges::any_of(
        lines_, [](const auto& one) { return one.second->keeper().is_handing_over(); });
}

void Replica::drive_all() {
    for (const auto& [name, line] : lines_) drive(*line);
}

void Replica::drive(Line& line) {
    auto next = line.drive(sure_until_);
    if (next.write) run(write(line, std::move(*next.write)));
    // While it settles, the word of the keeper before may appear at any time, and soon if that one
    // drains: its process may have ended by then, so that only the store shows the word.
    const Time now = monotonic_now();
    const bool due = line.settling(now) < quick || now >= look_begun_ + beat;
    if (next.look || (next.ask && due)) look_now();
    if (next.ask && !std::exchange(line.asks, true))
        run(ask(line, *next.ask, line.keeper().epoch()));
    ask_deposed(line);
    publish(line);
    if (line.keeper().is_handing_over() && next_tick_.expiry() > now + short_beat)
        next_tick_.cancel();
    if (!ask_backend_ || boot_now() >= sure_until_) return;
    if (const auto lost = line.take_lost_term()) ask_backend_(line.queue(), *lost);
}

void Replica::ask_deposed(Line& line) {
    if (line.asks) return;
    const auto deposed = line.take_deposed(monotonic_now());
    if (!deposed) return;
    line.asks = true;
    run(ask(line, *deposed, line.keeper().line()->epoch));
}

void Replica::workers_idle(const std::string& queue, cluster::Epoch term) {
    asio::post(io_, [this, queue, term] {
        Line& line = line_of(queue);
        line.over(term, cluster::Settled::workers);
        drive(line);
    });
}

Replica::Awaitable<void> Replica::write(Line& line, cluster::Write write) {
    const Ended ended = co_await store_.write(line.queue(), write);
    tell_write(ended.why);
    note_space();
    if (ended.how == cluster::Written::done && write.line)
        memory_.remember(line.queue(), write.line->epoch, ended.version);
    line.written(ended.how, ended.version, looks_, sure_until_);
    drive(line);
}

// A store that is never believed again takes no word either, so nothing is owed to it.
bool Replica::is_rid_of(const Line& line) const {
    return line.keeper().is_rid() || (!refused_.empty() && !line.holds_slots());
}

void Replica::publish(const Line& line) {
    const cluster::Keeper& keeper = line.keeper();
    const Line::Counts& counts = line.counts();
    LineView now{keeper.role(),    keeper.where(),  keeper.epoch(),
                 keeper.line(),    is_rid_of(line), line.settling(monotonic_now()),
                 counts.takeovers, counts.settled,  counts.ended_pauses};
    const std::lock_guard lock(seen_lock_);
    LineView& seen = seen_[line.queue()];
    log_changes(log_, line.queue(), seen, now, settings_.options);
    seen = std::move(now);
    seen_sure_until_ = sure_until_;
}

void Replica::tell(const std::string& problem) {
    for (const auto& [name, line] : lines_) line->store_away(!problem.empty());
    look_problem_ = problem;
    note_problem();
}

// A store without space shows everything and writes nothing.
void Replica::tell_write(const std::string& problem) {
    write_problem_ = problem;
    note_problem();
}

void Replica::note_space() {
    for (const auto& [name, line] : lines_) line->store_full(store_.is_full());
}

void Replica::note_problem() {
    {
        const std::lock_guard lock(seen_lock_);
        problem_ = look_problem_.empty() ? write_problem_ : look_problem_;
        seen_full_ = look_problem_.empty() && !write_problem_.empty() && store_.is_full();
        if (seen_full_) problem_.insert(0, "it takes no writes until it has room: ");
    }
    tell_problem();
}

void Replica::tell_problem() {
    const auto tell = telling_.at(monotonic_now(), problem_);
    if (tell == Telling::Tell::over) log_.info("the cluster's store is in use");
    if (tell == Telling::Tell::problem)
        log_.error("the cluster's store cannot be used", {{"why", problem_}});
}

}  // namespace ticketgate::replica
