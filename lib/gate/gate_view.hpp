// The state of a queue at one moment, for operators and metrics: plain copies, each made under one
// lock of the gate.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "gate/gate_settings.hpp"
#include "gate/pass.hpp"
#include "gate/request_label.hpp"
#include "metrics/metric.hpp"

namespace ticketgate {

/// The numbers of a queue, all from the same moment.
struct GateFigures {
    GateSettings settings;
    std::uint32_t waiting = 0;
    std::uint32_t in_flight = 0;  ///< slots held
    std::uint32_t inside = 0;     ///< calls from inside that run or wait within these holds
    Duration oldest_wait{0};      ///< of the head of the line; zero when nobody waits
    Duration oldest_hold{0};      ///< of the oldest slot; zero when none is held
    /// For how long none of those who wait got a slot; zero when nobody waits, or each of them
    /// uploads and holds nobody up.
    Duration stalled{0};
    /// The slots that must come back before anybody gets one; more than one behind a reload that
    /// lowered max_in_flight. 0: a slot is free.
    std::uint32_t ends_needed = 0;
    double slot_seconds = 0;  ///< for which slots were held, those held now included
    /// The expected wait of a request that joins the line now: seconds, 1 to 3600.
    std::uint32_t retry_after = 1;
    /// The expected wait of a request without a body that comes now; zero: a slot is free for it.
    /// Duration::max(): nobody knows, as an operator, another process, another replica or the end
    /// of an upload decides, or as no hold has ended yet.
    Duration newcomer_wait{0};
    /// What is left of a pause; zero: none. Duration::max(): until it is resumed.
    Duration pause_left{0};

    /// The old process of an upgrade still has the queue: nobody is admitted here.
    bool in_old_process = false;
    /// A request that comes now is refused, as the last one was: max_waiting.
    bool refuses = false;

    bool paused() const { return pause_left > Duration{0}; }
    bool empty() const { return waiting == 0 && in_flight == 0; }
};

struct TicketView {
    std::uint64_t number = 0;      ///< place in the queue's total order
    std::uint64_t inside_of = 0;   ///< it runs within the hold of this ticket; 0: none
    std::uint64_t blocked_by = 0;  ///< oldest ticket in flight when this one was taken; 0: none
    Duration since{0};             ///< waiting: from the ticket; in flight: from the grant
    bool holds = false;            ///< a slot; false: it waits
    bool ready = true;             ///< false: its request body is still arriving
    bool sent = true;              ///< false: it holds a slot, and the backend has nothing of it
    ClientIs client = ClientIs::served;  ///< of a running one
    bool end_unknown = false;            ///< php-fpm does not tell whether its script has ended
    RequestLabel label;
};

/// A ticket that was looked for, in line or in flight.
struct FoundTicket {
    TicketView ticket;
    std::uint32_t ahead = 0;  ///< of a waiting one: those before it in the line
};

/// What a queue has counted since its start; the difference of two tells of the time between.
struct GateCounts {
    /// Observations up to each of metrics::seconds_buckets, not cumulative, and those above.
    using Buckets = std::array<std::uint64_t, std::size(metrics::seconds_buckets) + 1>;
    Buckets waits{};  ///< of those who were admitted
    Buckets holds{};
    std::uint64_t refused = 0;  ///< for any reason
    std::uint64_t exclusion_violations = 0;
};

/// What a queue has counted of requests that were not served, and of broken promises. The old
/// process of an upgrade, which nobody scrapes, tells it to the new one.
struct GateLosses {
    /// `violation`, or the reason of ticketgate_queue_rejected_total.
    static constexpr std::array<std::string_view, 7> names{
        "violation", "full", "timeout", "draining", "refused", "released", "spool_full"};
    std::array<std::uint64_t, names.size()> counts{};
};

struct GateView {
    /// The most tickets of a kind in one view: to copy 1,000 of 240 bytes holds the lock for some
    /// tens of microseconds.
    static constexpr std::size_t most = 1000;

    GateFigures figures;
    std::vector<TicketView> in_flight;  ///< in grant order; only the first ones
    std::vector<TicketView> inside;     ///< calls within these holds
    std::vector<TicketView> waiting;    ///< in number order; only the first ones
};

}  // namespace ticketgate
