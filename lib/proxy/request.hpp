// One request from routing to its log line: what its session and its run share. Made by the session
// when a head is complete; freed when both are done with it. One loop at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "log/record.hpp"
#include "proxy/reply.hpp"
#include "proxy/snapshot.hpp"
#include "trace/finished.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

struct Request {
    Request(std::shared_ptr<const Snapshot> s, http::SpoolBudget& budget)
        : snapshot(std::move(s)), body(budget), reply(budget) {}

    const std::shared_ptr<const Snapshot> snapshot;
    std::shared_ptr<const Route> route;  ///< null: none matches
    const config::Ids& ids() const {
        return route == nullptr ? snapshot->config.ids : route->settings.ids;
    }
    /// The replica that keeps the line of its queue, in place of the backend; null: this one.
    std::shared_ptr<Upstream> peer;
    Upstream& to() const { return peer ? *peer : *route->upstream; }
    Record record;
    Time started = monotonic_now();  ///< head complete

    std::string method, target;  ///< as the client wrote them
    std::string head;            ///< as it goes to the backend
    /// The script that a look at the files has chosen; absent: the path selects it.
    std::optional<fcgi::Script> script;
    /// Where fastcgi.root leads to now; empty: the backend is told the root as it is written.
    std::string script_root;
    Body body;

    bool by_replica = false;  ///< another replica sent it
    /// The number that a keeper of its clustered line gave it first; 0: none so far. Behind the
    /// loss of that keeper it stands in this place.
    std::uint64_t place = 0;
    bool unlogged = false;      ///< a question of another replica, or a try of one that logs it
    bool client_ended = false;  ///< its client has sent a FIN, which the replica is to know
    /// The epoch of the keeper that it is forwarded to; 0: none.
    std::uint64_t line_epoch = 0;
    /// By which that keeper ran nothing when it went there: LineKeeper::idle_version.
    std::uint64_t line_idle = 0;
    /// The keeper has given it a ticket and asked for its body, an empty one too: before that it
    /// has not started there. Repeatable ones without a body are not asked for.
    bool asked_for = false;
    bool to_head = false;      ///< HEAD: the response has no body
    bool head_as_get = false;  ///< sent to the backend as GET, whose body ends with the work
    bool must_run = false;     ///< a call from inside: also if nobody waits for its answer
    bool repeatable = false;  ///< idempotent, of no other method, without a body: may be sent again
    bool client_1_0 = false;
    bool prefers_html = false;  ///< its client is a browser that shows what it gets
    bool safe = true;           ///< GET or HEAD, and it names no other method
    /// A part of it was sent, and no proof says that the backend has received none (2.7).
    bool reached_backend = false;
    bool keep_alive = true;  ///< the client's connection may be kept
    std::string upgrade;     ///< the protocol that was asked of the backend; empty: none
    bool tunnel = false;     ///< upgraded: both directions are bytes without framing

    std::unique_ptr<trace::Begun> trace;  ///< null: ticketgate has no part in one

    Observer* run = nullptr;  ///< the run, while there is one
    Reply reply;
    int parts = 1;  ///< session and run; the last to end writes the record

    /// The backend's answer has no body.
    bool asks_for_head() const { return to_head && !head_as_get; }
    /// A run that goes on may still send it.
    bool may_have_run() const { return reached_backend || run != nullptr; }
    /// On a route with a queue its run goes on though its client has left.
    bool outlives_client() const { return reached_backend || must_run; }
    /// What a stop makes of it while nothing has gone to the backend: the replica that sent it can
    /// take it to the next keeper.
    error_code unstarted_at_stop() const { return by_replica ? errc::line_moved : errc::draining; }
    /// The error of a stop. After a stop its run sends no first byte (Run::send_on).
    error_code end_at_stop() const {
        return peer || reached_backend ? error_code(errc::stopped) : unstarted_at_stop();
    }
};

}  // namespace ticketgate
