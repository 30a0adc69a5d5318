#include "app/shutdown.hpp"

namespace ticketgate {
namespace {

// The interval at which a stopping process checks whether all work has ended.
constexpr auto look_again = std::chrono::milliseconds(20);
// The time that a stop gives connections to close cleanly.
constexpr Duration stop_time = 2s;
// At most this many requests are logged when a stop cuts them.
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

void Shutdown::drain() {
    if (!ready()) return;
    enter(Phase::draining, assembly_.config().drain_timeout);
    log_.info("draining", {{"connections", assembly_.commons().connections.load()}});
    front_.close();
    assembly_.drain();
    if (replica_ != nullptr) replica_->drain();
    look_later();  // so that a request to the admin listener still gets its answer
}

void Shutdown::stop() {
    enter(Phase::stopping, stop_time);
    // What a stop cuts may still run at the backend: no word is given for it.
    if (replica_ != nullptr) replica_->stop();
    tell_what_still_runs();
    front_.close();
    assembly_.stop();
    look_if_done();
}

void Shutdown::on_signal() {
    if (ready()) return drain();
    at_once_ = true;
    stop();
}

void Shutdown::enter(Phase phase, Duration longest) {
    if (ready()) notify_.stopping();
    phase_ = phase;
    phase_ends_ = monotonic_now() + longest;
}

// The lines of a cluster pass on before the process ends, so that others need not wait for a lease.
bool Shutdown::done() const {
    const bool handed_over = replica_ == nullptr || phase_ == Phase::stopping || replica_->is_rid();
    return assembly_.idle() && handed_over;
}

void Shutdown::look_if_done() {
    if (done()) return end();
    if (monotonic_now() < phase_ends_) return look_later();
    if (phase_ == Phase::stopping) return control_.stop();
    const Commons& left = assembly_.commons();
    log_.warn("drain_timeout passed; stopping",
              {{"connections", left.connections.load()}, {"runs", left.runs.load()}});
    stop();
}

// The last spans go out after the last request, within a time of their own.
void Shutdown::end() {
    at_once_ || exporter_.flushed() ? control_.stop() : look_later();
}

void Shutdown::look_later() {
    poll_.expires_after(look_again);
    poll_.async_wait([this](const error_code& error) {
        if (!error) look_if_done();
    });
}

// Logs the requests that a stop cuts: a backend may still run them, unknown to the next process.
void Shutdown::tell_what_still_runs() {
    std::size_t told = 0, untold = 0;
    assembly_.gates().for_each([&](const Gate& gate) {
        const GateView view = gate.view(most_told - told);
        told += view.in_flight.size();
        untold += view.figures.in_flight - view.in_flight.size();
        for (const auto& running : view.in_flight) {
            log_.error(
                "cut while running; the backend may still run the request",
                {{"queue", gate.name()},
                 {"request_id", running.label.request_id()},
                 {"number", running.number},
                 {"held_ms", std::chrono::duration_cast<milliseconds>(running.since).count()}});
        }
    });
    if (untold != 0) log_.error("more requests were cut", {{"requests", untold}});
}

}  // namespace ticketgate
