// The end of the process: drains, then stops. A drain lets the line finish, within drain_timeout; a
// stop ends what is left. When all connections and runs have ended, the control thread's loop ends.
// Owned by App; control thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "app/control.hpp"
#include "app/notify.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"

namespace ticketgate {

class Shutdown {
 public:
    Shutdown(Control& control, Log& log, Assembly& assembly, Front& front, const Notify& notify);

    /// Readiness: false as soon as a drain begins.
    bool ready() const { return phase_ == Phase::running; }
    /// Nothing new comes in, the line finishes. Later calls do nothing.
    void drain();
    /// All that runs is cut, and told in the log.
    void stop();
    /// TERM or INT: the first one drains, the next one stops.
    void on_signal() { ready() ? drain() : stop(); }

 private:
    enum class Phase : std::uint8_t { running, draining, stopping };
    void enter(Phase phase, Duration longest);
    void tell_what_still_runs();
    void look_if_done();
    void look_later();
    Control& control_;
    Log& log_;
    Assembly& assembly_;
    Front& front_;
    const Notify& notify_;
    boost::asio::steady_timer poll_;
    Phase phase_ = Phase::running;
    Time phase_ends_{};
};

}  // namespace ticketgate
