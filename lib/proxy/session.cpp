#include "proxy/session.hpp"

#include <algorithm>
#include <utility>

#include "proxy/failure.hpp"
#include "proxy/identify.hpp"
#include "proxy/run.hpp"

namespace ticketgate {

namespace {

// Counts a run from before its ticket runs (Exchanges::under_way) until the run counts itself.
class CountedRun {
 public:
    explicit CountedRun(std::atomic<std::uint32_t>& runs) : runs_(runs) { ++runs_; }
    ~CountedRun() { --runs_; }
    CountedRun(const CountedRun&) = delete;
    CountedRun& operator=(const CountedRun&) = delete;

 private:
    std::atomic<std::uint32_t>& runs_;
};

}  // namespace

// ── the life of a request ──

// Every stage returns an error or nothing; the first failure is answered below, once.
task<Session::End> Session::serve(ClientStream& client, Begin begin) {
    Session self(client, begin);
    self.begin_request(begin.failure);
    const Attached attached(self.request_->reply, client.wire(), client.signal());
    error_code failure = begin.failure;
    try {
        if (!failure) failure = co_await self.go_through();
    } catch (const std::exception& e) {
        failure = self.fault(e);
    }
    try {
        if (failure) co_await self.answer(failure);
    } catch (const std::exception& e) {
        (void)self.fault(e);
        failure = errc::client_closed;  // no answer is possible
    }
    co_return self.finish(failure);
}

task<error_code> Session::go_through() {
    error_code failure = begin();
    if (!failure && request_->route->files) failure = co_await find_file();
    if (!failure && file_) co_return co_await send_file();
    if (!failure && request_->to().moving_root() != nullptr) failure = co_await find_script_root();
    if (!failure) failure = enter();
    while (!failure) {
        Station* const elsewhere = place_ ? nullptr : client_.settles_on();
        if (place_) co_await go_home();
        if (elsewhere != nullptr) co_await client_.move_to(*elsewhere);
        if (!whole() && (place_ || needs_length_)) failure = co_await read_body();
        if (!failure && may_accept()) co_await accept_call();
        if (!failure && place_) failure = co_await wait_turn();
        if (!failure) failure = start();
        if (failure && accepted_) tell_lost_call(failure);
        if (!failure && !accepted_) failure = co_await deliver();
        failure = meaning_of(failure);
        if (!may_go_again(failure)) break;
        failure = co_await enter_again();
    }
    co_return failure;
}

// The head is a view of the loop's buffer from here to the end of enter(), unless a look at the
// files must wait for a disk (hold_head()).
error_code Session::begin() {
    const Time received = request_->started;
    auto lost = hear_replica();
    if (request_->snapshot->config.tracing) join_trace(received);
    if (!lost) lost = route();
    const Sender sender = told_            ? Sender::replica
                          : peer().trusted ? Sender::trusted
                                           : Sender::client;
    identify(request_->ids(), &*station().head.view(), sender, station().ids, request_->record);
    if (lost) note_refused_head(lost);
    return lost;
}

error_code Session::enter() {
    if (queues_ && request_->route->untold) return refuse_untold();
    if (const auto failure = find_line()) return failure;
    keep_own_head();
    stamp();
    if (const auto failure = take_ticket()) return failure;
    if (const auto failure = begin_body()) return failure;
    return keep_next();
}

// ── 6: the ticket ──

error_code Session::take_ticket() {
    turn_ = Turn::bypass;
    if (!queues_) return {};
    const Route& route = *request_->route;
    if (request_->peer) {
        turn_ = Turn::forwarded;
        request_->record.queue = route.gate->name();
        return {};
    }
    const auto pass = std::make_shared<Pass>(label());
    queue::Queue::Entry entry;
    entry.max_waiting = settings().max_waiting;
    entry.ready = reader_.done() || whole();
    entry.place = request_->place;
    if (settings().wait_timeout < never)
        entry.deadline = request_->started + settings().wait_timeout;
    request_->record.queue = route.gate->name();
    auto state = queue::State::idle;
    if (inside_) {
        if (const auto failure = enter_within(*pass, entry, state)) return failure;
    }
    if (only_within_ && state == queue::State::idle) return errc::line_moved;
    if (state == queue::State::idle) state = route.gate->take(*pass, entry, loop());
    note_ticket(*pass);
    turn_ = Turn::full;
    if (state == queue::State::full) return errc::queue_full;
    turn_ = Turn::waits;
    granted_at_once_ = state == queue::State::granted;
    place_.emplace(route.gate, pass, loop());
    if (only_within_ && !route.gate->may_send()) return refuse_within();
    const bool knows_caller = pass->inside_of() != 0 && !inside_->empty();
    if (state == queue::State::waiting && !knows_caller) tell_inside();
    if (state == queue::State::waiting) tell_place(*pass);
    return {};
}

// As soon as the gate knows it: a line outside this process gives the number later.
void Session::note_ticket(const Pass& pass) const {
    Record& record = request_->record;
    record.number = pass.number();
    record.position = pass.position();
    record.blocked_by = pass.blocked_by();
    record.inside_of = pass.inside_of();
}

// ── 8: the turn ──

// Moves to the loop where the queue's requests run.
task<void> Session::go_home() {
    net::Loop& home = place_->gate().home();
    if (&home != &loop()) co_await client_.move_to(*station().commons.stations[home.index()]);
    place_->arrive(signal_);
    if (!whole() || place_->settle() == queue::State::waiting)
        loop().arm_from(wait_deadline_, settings().wait_timeout, request_->started);
}

task<error_code> Session::wait_turn() {
    for (bool waited = !granted_at_once_;;) {
        if (station().stopping()) place_->cancel(GivenUp::draining);
        const auto state = place_->settle();
        request_->record.queue_wait = monotonic_now() - request_->started;
        if (state == queue::State::expired) co_return expire();
        if (state == queue::State::moved) co_return errc::line_moved;
        if (station().stopping()) co_return request_->unstarted_at_stop();
        // A client that left before the grant left while it was queued, even if the event has not
        // come yet.
        if (state == queue::State::granted && waited) client_.wire().look();
        if (left()) co_return errc::client_closed;  // the failure gives the place up
        // Revoked: an operator took the slot since the grant; start() returns that.
        if (state == queue::State::granted || state == queue::State::revoked) break;
        waited = true;
        co_await signal_;
    }
    wait_deadline_.disarm();
    co_return error_code();
}

// An operator has released its ticket while it uploaded.
error_code Session::taken_out() {
    turn_ = Turn::revoked;
    return errc::slot_revoked;
}

error_code Session::expire() {
    turn_ = Turn::expired;
    return errc::wait_timeout;
}

// A FIN while queued is a leave unless the route says otherwise (CONTRACT 2.2). Pipelined bytes are
// not a leave. It counts also where the slot was free at once: its client may have left while
// another request had the slot, and both may lie unread in the kernel.
bool Session::left() const {
    if (inside_)
        return false;  // a call whose caller does not wait still runs, once and in its turn
    const net::Stream& wire = client_.wire();
    return wire.broken() ||
           (wire.fin() && settings().client_half_close == config::HalfClose::leave);
}

// ── 9, 10: open and run ──

error_code Session::start() {
    if (!place_) {
        start_run(station(), request_, Slot());
        return {};
    }
    note_ticket(place_->pass());
    const CountedRun counted(station().commons.runs);
    Slot slot = std::move(*place_).begin();
    place_.reset();
    turn_ = slot ? Turn::had : Turn::revoked;
    if (slot && request_->trace) request_->trace->granted = slot.granted();
    if (slot && request_->snapshot->guesses_callers) station().commons.look_for_clients();
    if (slot) add_fencing(slot);
    if (slot) start_run(station(), request_, std::move(slot));
    return turn_ == Turn::had ? error_code() : errc::slot_revoked;
}

// ── 11: deliver ──

// Sends the response as the client takes it. On an unqueued route, also passes the upload on
// meanwhile, and after the response as long as the backend takes it (CONTRACT 2.11). An error
// before the response is answered, one within it cuts the connection, one after it is ignored.
task<error_code> Session::deliver() {
    Reply& reply = request_->reply;
    const http::Spool& spool = request_->body.spool;
    const bool uploading = !whole();
    std::uint64_t read = 0;  // of the answer, when the upload moved or body_timeout began
    if (uploading) loop().arm(deadline_, settings().body_timeout);
    for (;;) {
        if (request_->tunnel) co_return co_await tunnel();
        if (reads_since(read)) reader_.pause();
        const std::uint64_t uploaded = reader_.bytes();
        error_code failure = pass_upload_on();
        if (failure && !answered()) co_return failure;
        if (reader_.bytes() != uploaded) read = reply.taken();
        const std::uint64_t taken = reply.taken();
        if (!reply.pump()) co_return errc::client_closed;
        // Bytes that the session does not read, because the backend takes no more, are not late;
        // nor are those of a client that has to take an early answer.
        const bool may_wait = spool.size() >= upload_window || !reply.drained();
        if (may_wait) reader_.pause();
        if (answered() && (failure || whole() || request_->run == nullptr)) break;
        if (reply.drained() && reply.failure()) co_return reply.failure();
        if (client_.wire().broken()) failure = errc::client_closed;
        if (request_->peer && client_.wire().fin()) tell_end();
        if (!failure && station().stopping()) failure = request_->end_at_stop();
        if (failure && !answered()) co_return failure;
        if (failure) break;
        if (reply.drained())
            client_deadline_.disarm();
        else if (!client_deadline_.armed() || reply.taken() != taken)
            await_client();
        if (!uploading || whole() || may_wait) {
            deadline_.disarm();
        } else if (!deadline_.armed()) {
            loop().arm(deadline_, settings().body_timeout);
            read = reply.taken();
        }
        co_await signal_;
        if (takes_nothing()) co_return errc::client_closed;
        if (!deadline_.expired() || reads_since(read)) continue;
        if (answered()) break;
        co_return errc::body_timeout;
    }
    deadline_.disarm();
    client_deadline_.disarm();
    co_return error_code();
}

// Its client has taken more of the answer, and may send the rest of its body later: body_timeout
// begins anew, and body_min_rate does not count that time.
bool Session::reads_since(std::uint64_t taken) const {
    return request_->reply.begun() && request_->reply.taken() != taken;
}

// The client has its whole response.
bool Session::answered() const {
    return request_->reply.drained() && request_->reply.finished();
}

// ── 12: record ──

Session::End Session::finish(error_code failure) {
    Record& record = request_->record;
    record.duration = monotonic_now() - request_->started;
    record.outcome = outcome(failure);
    note_forward(failure);
    note_away(failure);
    if (failure && record.status == 0) record.status = status_of(failure, nullptr);
    place_.reset();
    const bool begun = this->begun();
    record.bytes -= std::min(record.bytes, request_->reply.untaken());
    request_->reply.detach();
    // A client ends its tunnel as it likes; one that has a 202 has its whole answer.
    const bool left_tunnel = request_->tunnel && failure == errc::client_closed;
    record.cut |= failure && begun && !accepted_ && !left_tunnel;
    record.orphaned = turn_ == Turn::had && failure == errc::client_closed &&
                      request_->run != nullptr && request_->outlives_client();
    if (--request_->parts == 0) station().record(*request_);
    const bool again = request_->keep_alive && (failure || whole());
    // A cut response must not end like a whole one; any other should reach the client whole.
    const bool cut = failure && (failure == errc::client_closed || begun);
    return {again ? End::stays : cut ? End::cut : End::closes, reader_.done()};
}

Session::Session(ClientStream& client, const Begin& begin)
    : client_(client),
      signal_(client.signal()),
      request_(std::allocate_shared<Request>(task_frames::Allocator<Request>(),
                                             station().snapshot(), station().commons.spool)),
      reader_(begin.failure ? http::Framing::none : station().head.view()->framing,
              begin.failure ? 0 : station().head.view()->content_length),
      deadline_(signal_),
      wait_deadline_(signal_),
      client_deadline_(signal_),
      asked_(begin.failure                             ? begin.asked
             : station().head.view()->method == "HEAD" ? http::AsksFor::head
                                                       : http::AsksFor::body),
      may_stay_(begin.may_stay) {}

}  // namespace ticketgate
