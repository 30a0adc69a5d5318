// Ends the process: drains or hands over, then stops. A drain lets the queues finish within
// drain_timeout; a stop cuts the rest. The control thread's loop ends once all connections and runs
// have ended. Owned by App; control thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "app/control.hpp"
#include "app/notify.hpp"
#include "otlp/exporter.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

class Shutdown {
 public:
    /// `replica`: of a cluster; null: none.
    Shutdown(Control& control, Log& log, Assembly& assembly, Front& front, const Notify& notify,
             replica::Replica* replica, otlp::Exporter& exporter);
    /// Called when the line has ended, or before a stop cuts anything.
    void before_end(std::function<void()> then) { before_end_ = std::move(then); }

    /// Readiness: false once a drain or a hand-over has begun.
    bool ready() const { return phase_ == Phase::running; }
    /// Another process accepts: this one finishes its line and ends. After drain_timeout it cuts
    /// what holds no slot (tunnels), and waits on for the rest. `gave_all`: the other one has all
    /// queues.
    void hand_over(std::function<bool()> gave_all);
    /// The other process has ended: this one goes on as before.
    void take_back();
    bool handed_over() const { return phase_ == Phase::handed_over || phase_ == Phase::finished; }
    /// It ends for good.
    bool drains() const {
        return phase_ == Phase::draining || phase_ == Phase::drained || phase_ == Phase::stopping;
    }
    /// Until the rest is cut, at least 0; none: it does not drain.
    std::optional<Duration> cuts_in(Time now) const;
    /// Refuses new requests and lets the queues finish. Later calls do nothing.
    void drain();
    /// Cuts all running requests and logs them.
    void stop();
    /// On TERM or INT: the first one drains, also where a drain has begun for another reason; the
    /// next one stops.
    void on_signal();
    /// A second signal ended the process: nothing that still runs is waited for.
    bool at_once() const { return at_once_; }
    /// The loops have stopped. What is left is to end the workers; a signal may still hurry that.
    void ends_workers();
    bool over() const { return phase_ == Phase::over; }
    /// After an exception, which may have cut a step: takes the steps of its phase again.
    void go_on();

 private:
    // A line that has ended is told to the other process; then the last spans go out. take_back()
    // undoes both, so that the next end is told and made anew.
    enum class Phase : std::uint8_t {
        running,
        handed_over,  // finished when its line has ended; running if the other process ends
        finished,
        draining,  // drained when its line has ended
        drained,
        stopping,
        over
    };
    // The steps of a phase come after it has been entered, and may be repeated: go_on() does.
    void take_steps();
    void enter(Phase phase, Duration longest) noexcept;
    void cut();
    void leave_cluster();
    bool done() const;
    bool lines_empty() const;
    struct Holder {
        const Gate* gate;
        TicketView ticket;
    };
    using Holders = std::vector<Holder>;
    using Say = void (Log::*)(std::string_view, Log::Fields) noexcept;
    Holders unsent_of_cluster() const;
    void tell_what_still_runs(Holders unsent);
    void tell_cut(const Gate& gate, const TicketView& cut);
    void tell(Say say, std::string_view message, const Gate& gate, const TicketView& running);
    void tell_who_keeps_queues();
    template <class Use>
    void for_each_run(Use use);
    void look_if_done();
    void end_by_force();
    void close();
    void end();
    void end_line();
    void look_later();
    Control& control_;
    Log& log_;
    Assembly& assembly_;
    Front& front_;
    const Notify& notify_;
    replica::Replica* const replica_;
    otlp::Exporter& exporter_;
    boost::asio::steady_timer poll_;
    Phase phase_ = Phase::running;
    Time phase_ends_{};
    Time tell_at_ = Time::max();  // after a hand-over: who keeps a queue from the other process
    bool signalled_ = false;
    bool at_once_ = false;
    bool closes_ = false;          // no replica connects any more either
    bool gives_lines_up_ = false;  // while it stops
    std::function<bool()> gave_all_ = [] { return true; };
    std::function<void()> before_end_ = [] {};
};

}  // namespace ticketgate
