// How a session treats a call from inside: the backend calls its own site, and may hold the slot
// until it has the answer (CONTRACT 10).
#include "http/target.hpp"
#include "ids/generator.hpp"
#include "proxy/failure.hpp"
#include "proxy/identify.hpp"
#include "proxy/inside.hpp"
#include "proxy/session.hpp"

namespace ticketgate {
namespace {

// A queue logs at most one waiting call in this time.
constexpr Duration tell_again = std::chrono::minutes(1);

bool due(std::atomic<Time>& last, Time now) {
    Time seen = last;
    return (seen == Time{} || now - seen >= tell_again) && last.compare_exchange_strong(seen, now);
}

class ExchangesOf final : public Exchanges {
 public:
    explicit ExchangesOf(const Commons& commons) : commons_(commons) {}
    std::uint32_t under_way() const override { return commons_.runs; }
    Time ended_elsewhere(const Gate& gate) const override {
        return commons_.last_ends.elsewhere(&gate);
    }

 private:
    const Commons& commons_;
};

}  // namespace

void Session::note_inside() {
    const http::RequestHead& head = *station().head.view();
    if (told_) {
        if (told_->inside) inside_ = std::make_unique<const std::string>(*told_->inside);
    } else if (queues_ && is_inside(*request_->snapshot, head, client_.peer())) {
        const auto id = sent_id(head, request_->ids().request_id);
        // Another text is no id of ours. It would break a line for another replica, too.
        inside_ = std::make_unique<const std::string>(ids::acceptable(id) ? id : "");
    }
    request_->must_run = inside_ != nullptr;
}

// A request that still runs in this process, which drains, may wait for it.
bool Session::may_be_awaited() const {
    return told_ && told_->inside && !told_->inside->empty() && !station().stopping();
}

// Its caller is found by its request id, at whatever replica it runs.
bool Session::names_caller() const {
    const config::InsideCalls how = settings().inside_calls;
    const bool passes = how == config::InsideCalls::pass || how == config::InsideCalls::pass_any;
    return passes && inside_ && !inside_->empty();
}

// Its caller runs here, and holds the line until it has this answer. But this replica is cut from
// the store, or its term was ended: it may send nothing more.
error_code Session::refuse_within() const {
    const Record& record = request_->record;
    station().commons.log.warn(
        "a call from inside is refused: its caller runs at a replica that may send nothing more",
        {{"request_id", record.request_id},
         {"queue", record.queue},
         {"caller", *inside_},
         {"method", record.method},
         {"path", http::path_of(record.target)}});
    return errc::cluster_away;
}

// Leaves `state` idle where the call takes its place in the queue's own line.
error_code Session::enter_within(Pass& pass, const queue::Queue::Entry& entry,
                                 queue::State& state) {
    Gate& gate = *request_->route->gate;
    const config::InsideCalls how = settings().inside_calls;
    const bool waits = how == config::InsideCalls::wait || how == config::InsideCalls::accept;
    if (waits || gate.figures().in_flight == 0) return {};
    if (how == config::InsideCalls::pass && inside_->empty()) return {};
    if (how != config::InsideCalls::refuse) {
        const ExchangesOf exchanges(station().commons);
        client_.wire().look();
        if (client_.wire().fin()) return {};  // its caller waits no longer
        state =
            gate.take_within(pass, {*inside_, client_.arrived_after(), exchanges}, entry, loop());
        if (state == queue::State::idle) return {};
        if (state != queue::State::full) {
            ++gate.notes.inside_passed;
            return {};
        }
    }
    turn_ = Turn::none;
    ++gate.notes.inside_refused;
    return errc::inside_call;
}

// The log has no line of this request before it ends, and then its caller may have given up. While
// a slot is free, or no other call runs within the hold, it waits for its own upload at most.
void Session::tell_inside() const {
    if (inside_ && settings().inside_calls == config::InsideCalls::accept) return;
    Gate& gate = place_->gate();
    const http::RequestHead& head = *station().head.view();
    if (!inside_ && !looks_like_own_call(head)) return;
    const GateView view = gate.view(1);
    const Record& record = request_->record;
    const bool within = record.inside_of != 0;
    if (within && view.figures.inside <= 1) return;
    if (view.figures.in_flight < view.figures.settings.limits.max_in_flight) return;
    if (inside_ && !within) ++gate.notes.inside_waited;
    if (!due(gate.notes.inside_told, monotonic_now())) return;
    station().commons.log.warn(
        inside_ ? "a call from inside waits for a request that may wait for this call"
                : "a call that the application may have made itself waits for a request that may "
                  "wait for this call",
        {{"request_id", record.request_id},
         {"queue", record.queue},
         {"number", record.number},
         {"method", record.method},
         {"path", http::path_of(record.target)},
         {"client_ip", peer().ip},
         {"in_flight", view.in_flight.empty() ? "" : view.in_flight[0].label.request_id()},
         {"remedy", inside_remedy()}});
}

std::string Session::inside_remedy() const {
    const std::string docs = "; see docs/queues.md, calls from inside";
    if (request_->record.inside_of != 0)
        return "it waits for another call of the same request; if that call made it, both wait: "
               "let "
               "the application pass its X-Request-Id on" +
               docs;
    const config::InsideCalls how = settings().inside_calls;
    if (!inside_)
        return "if it is: clients: {inside: [" + peer().ip + "]} and inside_calls: pass" + docs;
    const bool any = how == config::InsideCalls::pass_any;
    const bool passes = any || how == config::InsideCalls::pass;
    if (passes && client_.wire().fin())
        return "its client has closed its sending side, so the request that made it is taken not "
               "to wait for it; a client that waits must keep that side open" +
               docs;
    if (passes && !inside_->empty())
        return "no request of this queue has the id that the call names: a request that waits for "
               "it by way of another queue is not known; give both routes one queue" +
               docs;
    const LastEnds& ends = station().commons.last_ends;
    if (any && ends.others_run())
        return (station().commons.peers
                    ? "another replica of the cluster may run the request that made it; only calls "
                      "with the X-Request-Id of their caller pass"
                    : "another process, before or behind an upgrade, may run the request that made "
                      "it, also for ever if it was cut; until then only calls with the "
                      "X-Request-Id of their caller pass") +
               docs;
    if (any && ends.elsewhere(&place_->gate()) == Time::max())
        return "a request that was not queued has ended, and its script may run for ever; until "
               "the "
               "next start only calls with the X-Request-Id of their caller pass" +
               docs;
    if (passes)
        return "let the application pass its X-Request-Id on, so that its request is known" +
               std::string(any ? ""
                               : ", or set inside_calls: pass_any after reading what it risks") +
               docs;
    return "if the application waits for its own calls: inside_calls: pass" + docs;
}

// The call is whole, and waits for a slot.
bool Session::may_accept() {
    return place_ && inside_ && settings().inside_calls == config::InsideCalls::accept &&
           place_->settle() == queue::State::waiting;
}

// Answers the call before it runs, and ends the connection, for clients that read to its end. A
// caller that has left before is one that left: the call runs all the same.
task<void> Session::accept_call() {
    Record& record = request_->record;
    std::string lines(station().date_line());
    stamp_response(request_->ids(), record, false, 11, lines);
    const FailureFacts facts{record};
    FailureResponse response =
        failure_response(errc::call_accepted, nullptr, facts, lines, false, http::AsksFor::unknown);
    request_->keep_alive = false;
    if (co_await send(response) != 0) {
        ++place_->gate().notes.inside_waited;
        co_return;
    }
    ++place_->gate().notes.inside_accepted;  // before the caller can see the end
    client_.wire().finish_writing();
    request_->reply.detach();
    record.status = 202;
    accepted_ = true;
}

// Its caller was told that it will run.
void Session::tell_lost_call(error_code failure) const {
    const Record& record = request_->record;
    station().commons.log.error(
        "an accepted call from inside did not run",
        {{"request_id", record.request_id},
         {"queue", record.queue},
         {"number", record.number},
         {"method", record.method},
         {"path", http::path_of(record.target)},
         {"why", failure.message()},
         {"remedy", failure == errc::wait_timeout ? "raise wait_timeout on its route" : ""}});
}

}  // namespace ticketgate
