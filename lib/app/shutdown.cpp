#include "app/shutdown.hpp"

#include <algorithm>
#include <utility>

#include "http/target.hpp"

namespace ticketgate {
namespace {

// The interval at which a stopping process checks whether all work has ended.
constexpr auto look_again = std::chrono::milliseconds(20);
// The time that a stop gives connections to close cleanly, from when every loop has begun to cut.
constexpr Duration stop_time = 2s;
// A request that keeps its queue from the new process of an upgrade for this long is logged.
constexpr Duration told_after = 5s;
// At most this many requests are logged at one time.
constexpr std::size_t most_told = 32;

}  // namespace

Shutdown::Shutdown(Control& control, Log& log, Assembly& assembly, Front& front,
                   const Notify& notify, replica::Replica* replica, otlp::Exporter& exporter)
    : control_(control),
      log_(log),
      assembly_(assembly),
      front_(front),
      notify_(notify),
      replica_(replica),
      exporter_(exporter),
      poll_(control.io()) {}

// systemd knows of no stop: the service goes on in the other process.
void Shutdown::hand_over(std::function<bool()> gave_all) {
    gave_all_ = std::move(gave_all);
    phase_ = Phase::handed_over;
    phase_ends_ = monotonic_now() + assembly_.config().drain_timeout;
    tell_at_ = monotonic_now() + told_after;
    take_steps();
}

void Shutdown::take_back() {
    if (!handed_over()) return;
    phase_ = Phase::running;
    front_.hand_over(false);
    assembly_.hand_over(false);
    poll_.cancel();
    exporter_.take_back();
}

void Shutdown::drain() {
    if (!ready() && !handed_over()) return;
    const bool line_was_given = handed_over();
    enter(Phase::draining, assembly_.config().drain_timeout);
    log_.info("draining", {{"connections", assembly_.commons().connections.load()}});
    take_steps();
    if (line_was_given) tell_who_keeps_queues();
}

// The steps that need no memory come first. The process looks whether it is done only later: a
// request to the admin listener that asked for the end still gets its answer.
void Shutdown::take_steps() {
    if (handed_over()) {
        front_.hand_over(true);
        assembly_.hand_over(true);
    } else if (phase_ == Phase::draining || phase_ == Phase::drained) {
        front_.close_to_clients();
        assembly_.drain();
        if (replica_ != nullptr) replica_->drain();
    } else if (phase_ == Phase::stopping) {
        leave_cluster();  // first: it gives no word of a request that is cut
        front_.close();
        assembly_.stop();
    }
    if (phase_ != Phase::running && !over()) look_later();
}

std::optional<Duration> Shutdown::cuts_in(Time now) const {
    if (!drains()) return {};
    return std::max(Duration{0}, phase_ends_ - now);
}

void Shutdown::ends_workers() {
    phase_ = Phase::over;
    poll_.cancel();
}

void Shutdown::stop() {
    if (over()) return;
    if (phase_ != Phase::stopping) cut();
    look_if_done();
}

// Without memory it is told less, and cut all the same.
void Shutdown::cut() {
    enter(Phase::stopping, stop_time);
    assembly_.send_nothing_new();  // what is told as unsent stays so
    Holders unsent;
    constexpr std::string_view otherwise = "no memory to tell what a stop cuts";
    control_.tell_if_possible([&] { unsent = unsent_of_cluster(); }, otherwise);
    gives_lines_up_ = replica_ != nullptr && replica_->stop_granting();
    if (gives_lines_up_) unsent.clear();
    control_.tell_if_possible(before_end_, otherwise);
    control_.tell_if_possible([&] { tell_what_still_runs(std::move(unsent)); }, otherwise);
    take_steps();
}

void Shutdown::close() {
    if (std::exchange(closes_, true)) return;
    front_.close();
    assembly_.stop();
}

// A request that a stop cuts may still run at the backend, so this replica gives no word for its
// line. It gives up a line that runs nothing: that line would stand for ever.
void Shutdown::leave_cluster() {
    if (replica_ == nullptr) return;
    gives_lines_up_ ? replica_->drain() : replica_->stop();
}

// A drain may have been told by a command or by the new process of an upgrade, before systemd sends
// both processes their first signal.
void Shutdown::on_signal() {
    if (!std::exchange(signalled_, true) && phase_ != Phase::stopping) return drain();
    at_once_ = true;
    stop();
}

void Shutdown::enter(Phase phase, Duration longest) noexcept {
    if (ready()) notify_.stopping();
    phase_ = phase;
    phase_ends_ = monotonic_now() + longest;
}

// The lines of a cluster pass on before the process ends, so that others need not wait for a lease.
bool Shutdown::done() const {
    if (!assembly_.idle()) return false;
    const bool stops = phase_ == Phase::stopping;
    if (replica_ != nullptr && (!stops || gives_lines_up_) && !replica_->is_rid()) return false;
    return stops || gave_all_();
}

bool Shutdown::lines_empty() const {
    bool empty = true;
    assembly_.gates().for_each([&empty](const Gate& gate) { empty &= gate.figures().empty(); });
    return empty;
}

void Shutdown::look_if_done() {
    if (phase_ == Phase::running || over()) return;
    if (done()) return end();
    if (handed_over() && monotonic_now() >= tell_at_) tell_who_keeps_queues();
    // A loop without a turn since the stop, as on a very busy machine, has cut nothing yet.
    if (phase_ == Phase::stopping && !assembly_.stopped())
        phase_ends_ = monotonic_now() + stop_time;
    if (monotonic_now() < phase_ends_) return look_later();
    if (phase_ == Phase::stopping) return end_by_force();
    // Answers that still go out have all of drain_timeout once the lines are empty and given away.
    if (handed_over() && !(lines_empty() && gave_all_()))
        phase_ends_ = monotonic_now() + assembly_.config().drain_timeout;
    if (monotonic_now() < phase_ends_) return look_later();
    const Commons& left = assembly_.commons();
    log_.warn("drain_timeout passed; stopping",
              {{"connections", left.connections.load()}, {"runs", left.runs.load()}});
    stop();
}

void Shutdown::end_by_force() {
    if (gives_lines_up_) replica_->tell_kept_lines();
    control_.stop();
}

void Shutdown::go_on() {
    take_steps();
}

// The last spans go out after the last request, within a time of their own.
// A replica may connect up to then: its connection ends before the loops do. After a hand-over
// nobody connects, and the process may still be told to go on.
void Shutdown::end() {
    end_line();
    if (!at_once_ && !exporter_.flushed()) return look_later();
    if (handed_over() || front_.closed()) return control_.stop();
    close();
    look_later();
}

// A stop has told what it cuts.
void Shutdown::end_line() {
    if (phase_ != Phase::handed_over && phase_ != Phase::draining) return;
    before_end_();  // first: where it fails, it is called again
    phase_ = phase_ == Phase::handed_over ? Phase::finished : Phase::drained;
}

void Shutdown::look_later() {
    poll_.expires_after(look_again);
    poll_.async_wait([this](const error_code& error) {
        if (!error) look_if_done();
    });
}

// Logs what is said of a request that holds a slot.
void Shutdown::tell(Say say, std::string_view message, const Gate& gate,
                    const TicketView& running) {
    (log_.*say)(message,
                {{"queue", gate.name()},
                 {"request_id", running.label.request_id()},
                 {"number", running.number},
                 {"method", running.label.method()},
                 {"path", http::path_of(running.label.target())},
                 {"held_ms", std::chrono::duration_cast<milliseconds>(running.since).count()}});
}

// Calls `use` for each request that holds a slot, with its gate.
template <class Use>
void Shutdown::for_each_run(Use use) {
    std::size_t told = 0, untold = 0;
    assembly_.gates().for_each([&](const Gate& gate) {
        const GateView view = gate.view(most_told - told);
        told += view.in_flight.size();
        untold += view.figures.in_flight - view.in_flight.size();
        for (const auto& running : view.in_flight) use(gate, running);
    });
    if (untold != 0) log_.warn("and more requests", {{"requests", untold}});
}

// They may end as soon as this replica grants no more, in any thread, before a stop tells of them.
Shutdown::Holders Shutdown::unsent_of_cluster() const {
    Holders out;
    if (replica_ == nullptr) return out;
    assembly_.gates().for_each([&out](const Gate& gate) {
        if (!gate.clustered() || out.size() >= most_told) return;
        const GateView view = gate.view(most_told);
        for (const auto& running : view.in_flight)
            if (!running.sent) out.push_back({&gate, running});
    });
    return out;
}

// Logs the requests that a stop cuts: a backend may still run them, unknown to the next process.
// `unsent`: those of clustered lines that had been sent nothing just before.
void Shutdown::tell_what_still_runs(Holders unsent) {
    for_each_run([&](const Gate& gate, const TicketView& cut) {
        std::erase_if(unsent, [&](const Holder& one) {
            return one.gate == &gate && one.ticket.number == cut.number;
        });
        tell_cut(gate, cut);
    });
    for (const Holder& ended : unsent) tell_cut(*ended.gate, ended.ticket);
}

// A request that waits for its backend's connection does not run, but the record of its clustered
// line cannot say that.
void Shutdown::tell_cut(const Gate& gate, const TicketView& cut) {
    if (cut.sent)
        return tell(&Log::error, "cut while running; the backend may still run the request", gate,
                    cut);
    tell(&Log::warn,
         gate.clustered() ? "cut before anything of it was sent: it does not run, but its queue "
                            "stands as if it did"
                          : "cut before anything of it was sent: it does not run",
         gate, cut);
}

// The queues of the new process wait for these; it does not know them.
void Shutdown::tell_who_keeps_queues() {
    tell_at_ = Time::max();
    for_each_run([this](const Gate& gate, const TicketView& running) {
        tell(&Log::warn, "upgrade: this request keeps its queue in the old process", gate, running);
    });
}

}  // namespace ticketgate
