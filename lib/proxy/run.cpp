#include "proxy/run.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "fcgi/params.hpp"
#include "proxy/peers.hpp"
#include "proxy/run_state.hpp"

namespace ticketgate {
namespace {

// Response bytes of an unqueued route that may wait for a slow client before the run stops reading
// the backend.
constexpr std::uint64_t download_window = 64 << 10;

}  // namespace

Run::Run(Station& station, std::shared_ptr<Request> request, Slot slot)
    : station_(station),
      request_(std::move(request)),
      gate_(slot.gate().get()),
      signal_(station.loop.scheduler(), true),
      hold_(std::move(slot), signal_),
      deadline_(signal_),
      retry_(signal_),
      writer_(request_->reply, station.out, station.joined) {
    station_.join(*this);
    ++station_.commons.runs;
}

Run::~Run() {
    station_.leave(*this);
    Commons& commons = station_.commons;
    // A slot that was lost meanwhile belongs to another request of that queue.
    const bool kept = !stray_ && hold_.state() == Holding::returned;
    commons.last_ends.note(kept ? gate_ : nullptr, stray_ ? Time::max() : monotonic_now());
    if (lingers_) --commons.lingering;
    --commons.runs;
    if (watches_calls()) commons.look_for_clients();
}

// Holds the slot until the backend is done, however the exchange ends: also by an exception, such
// as no memory (CONTRACT 2.13).
Detached Run::start(Station& station, std::shared_ptr<Request> request, Slot slot) {
    Run run(station, std::move(request), std::move(slot));
    ++run.request_->parts;
    run.request_->run = &run.signal_;
    run.request_->reply.writer(&run.signal_);
    if (run.hold_.held())
        run.request_->reply.limit(run.settings().response_spool_max);
    else
        run.request_->reply.stream_window(download_window);
    error_code failure = errc::upstream_broke;
    try {
        failure = co_await run.forward();
    } catch (const std::exception& e) {
        station.commons.log.error(
            "an exchange ended by an exception",
            {{"what", e.what()}, {"request_id", run.request_->record.request_id}});
    }
    if (failure) run.tell(failure);
    run.linger();
    if (run.outlasts()) run.answered(failure);
    while (run.outlasts()) {
        run.outlast();
        if (run.outlasts()) co_await run.signal_;
    }
    if (run.asks_workers()) run.answered(failure);
    while (run.asks_workers()) {
        try {
            co_await run.outlast_workers(failure);
        } catch (const std::exception& e) {
            station.commons.log.error(
                "reading php-fpm's status page ended by an exception",
                {{"what", e.what()}, {"request_id", run.request_->record.request_id}});
            run.retry_later();
        }
        if (run.asks_workers()) co_await run.signal_;
    }
    run.end(failure);
}

// Repeats, once, what provably was not processed; keeps the slot meanwhile (CONTRACT 2.7).
task<error_code> Run::forward() {
    sent_ = monotonic_now();
    if (request_->trace) request_->trace->sent = sent_;
    hold_.begin(station_.loop);
    const auto& counts = request_->route->counts;
    if (counts && !request_->peer) counts->request();
    error_code failure = co_await exchange(false);
    if (may_repeat(failure)) {
        station_.commons.log.info(
            "the backend closed its connection before the request arrived; "
            "the request is sent again",
            {{"request_id", request_->record.request_id}});
        failure = co_await exchange(true);
    }
    co_return failure;
}

bool Run::may_repeat(error_code failure) const {
    const Reply& reply = request_->reply;
    return failure == errc::upstream_broke && request_->repeatable && exchange_->untouched() &&
           hold_.state() != Holding::lost && (reply.wanted() || request_->must_run) &&
           !reply.begun() && !reply.failure();
}

task<error_code> Run::exchange(bool fresh) {
    all_sent_ = request_->reached_backend = false;  // a repeat has the proof: may_repeat()
    hold_.not_sent();
    exchange_ = request_->to().open(station_.loop, fresh, !request_->repeatable);
    exchange_->observe(&signal_);
    exchange_->carries(request_->record.request_id.view());
    if (const auto failure = co_await converse()) co_return of_keeper(failure);
    if (request_->peer && !hear_place()) co_return errc::line_moved;
    // Not forwarded; the slot is kept to the end that the framing tells (Run::outlast).
    if (station_.response.view()->malformed) co_return errc::upstream_bad_response;
    begin_reply();
    if (station_.response.view()->status == 101) {
        flush(false);
        all_sent_ = true;  // the tunnel sends from here on
        co_return co_await tunnel();
    }
    arm_silence();
    if (request_->head_as_get) {
        flush(false);
        request_->reply.finish();  // the client has its whole answer
    }
    co_return co_await relay_body();
}

// ── 9, 10: connect, send, and listen meanwhile ──

// Sends, and waits for the final response head, which may come before the request is whole. Interim
// heads may come before it.
task<error_code> Run::converse() {
    deadline_.disarm();
    if (!exchange_->connected()) arm_connecting();
    if (const auto failure = send_on()) co_return failure;
    for (;;) {
        if (request_->reached_backend) {
            const std::uint64_t heard = exchange_->received();
            const auto head = station_.response.fresh();
            head->complaint = {};
            const auto step = exchange_->read_head(request_->asks_for_head(), *head);
            complaint_ = head->complaint;
            if (!step) co_return step.error();
            // A part of a head, or a 102, ends the silence.
            if (exchange_->received() != heard && deadline_.armed()) arm_silence();
            if (*step == Step::done) {
                if (!head->informational()) co_return error_code();
                if (head->status == 101) {
                    if (iequals(head->upgrade, request_->upgrade)) co_return error_code();
                    complaint_ = "a 101 to a request that did not ask for that protocol";
                    co_return errc::upstream_bad_response;
                }
                const bool wants_body = head->status == 100 && request_->peer;
                forward_interim();
                if (!wants_body) continue;
                request_->asked_for = true;
                if (deadline_.armed()) arm_silence();
                if (const auto failure = send_on()) co_return failure;
                continue;
            }
        }
        if (const auto failure = co_await wait()) co_return failure;
    }
}

// done: the first byte may go out. It connects before it claims the backend: an operator who
// releases the slot, or stops the process, must not read of a request that waits for its connection
// that bytes may be under way.
result<Step> Run::claim_backend() {
    if (station_.stopping()) return request_->end_at_stop();
    // The last look of a clustered line: nothing of it may start once another replica may keep it.
    if (!hold_.may_send()) return errc::line_moved;
    const auto ready = exchange_->connect();
    if (ready && *ready == Step::blocked) ask_for_rest();
    if (!ready || *ready != Step::done) return ready;
    if (!hold_.claims_backend()) return errc::slot_revoked;
    if (!station_.commons.sends_nothing_new) return Step::done;
    // It keeps its slot until the stop has told of it; the stop wakes it then.
    hold_.not_sent();
    deadline_.disarm();
    return Step::blocked;
}

// Sends the request to its end, also while its answer is relayed: a backend that reads the body
// before it ends its answer would wait for the run, and the run for it (CONTRACT 2.11).
error_code Run::send_on() {
    pass_end_on();
    if (all_sent_) return {};
    const bool stood = exchange_->connected();
    if (!request_->reached_backend) {
        const auto claimed = claim_backend();
        if (!claimed) return claimed.error();
        if (*claimed == Step::blocked) return {};
    }
    const std::uint64_t before = exchange_->written();
    const auto step = exchange_->send(request_->head, body_to_send());
    if (exchange_->connected())
        request_->reached_backend = true;
    else
        hold_.not_sent();
    if (!step && (!exchange_->connected() || step.error() != errc::upstream_broke))
        return step.error();
    ask_for_rest();
    if (!exchange_->connected()) return {};
    // A broken pipe is not the end: the backend may have answered before it closed.
    all_sent_ = !step || *step == Step::done;
    // Silence counts from the last progress in either direction. While the client uploads, it is
    // not the backend's; what waits for a keeper's question is.
    const bool held_here = no_body_yet_ && awaits_keeper() && exchange_->written() != 0;
    if (step && *step == Step::starved && !held_here)
        deadline_.disarm();
    else if (!stood || exchange_->written() != before || !deadline_.armed())
        arm_silence();
    return {};
}

// ── the end ──

void Run::tell(error_code failure) noexcept {
    if (failure == errc::client_closed || failure == errc::stopped ||
        failure == errc::slot_revoked || failure == errc::line_moved || failure == errc::draining)
        return;  // not a failure of the backend
    // Silence past response_timeout was counted when the client was told.
    const bool counts = request_->reply.failure() != errc::upstream_timeout;
    if (counts) count_failure(failure, exchange_ ? exchange_->refusal() : 0);
    try {
        std::string why = failure.message();
        std::string fault = exchange_ ? exchange_->fault() : std::string();
        if (fault.empty() && exchange_) fault = exchange_->trouble();
        const std::string_view more = complaint_.empty() ? std::string_view(fault) : complaint_;
        if (!more.empty()) why.append(": ").append(more);
        if (goes_to_another_keeper(failure)) return tell_keeper(why, Peers::remedy(fault));
        if (request_->peer) return tell_of_keeper(failure, why);
        if (counts) note_failure(why);
        const std::string address = exchange_ ? exchange_->address() : std::string();
        const bool no_answer = request_->record.upstream_status == 0;  // else it was cut
        const std::string remedy = exchange_ && no_answer ? exchange_->remedy() : std::string();
        const Field id("request_id", request_->record.request_id);
        const Field upstream("upstream", request_->route->settings.upstream);
        constexpr auto message = "the exchange with the backend failed";
        auto& log = station_.commons.log;
        remedy.empty()
            ? log.warn(message, {id, upstream, {"address", address}, {"why", why}})
            : log.warn(message,
                       {id, upstream, {"address", address}, {"why", why}, {"remedy", remedy}});
    } catch (const std::bad_alloc&) {
        // The line is lost.
    }
}

// A replica that keeps the queue is no backend: the queue counts what it did not serve.
void Run::count_failure(error_code failure, int refusal) noexcept {
    const auto& counts = request_->route->counts;
    if (counts && !request_->peer) counts->failed(failure, refusal);
}

// For the operator's view of the backend. A replica that keeps the queue is none.
void Run::note_failure(std::string_view why) {
    if (!request_->peer) request_->to().failures.note(why, wall_now());
}

// php-fpm does not say which file it did not find.
void Run::tell_remarks() {
    const auto text = exchange_->remarks();
    const Field id("request_id", request_->record.request_id);
    const bool no_script = text.find("Primary script unknown") != text.npos;
    if (!no_script) return station_.commons.log.warn("the backend says", {id, {"text", text}});
    station_.commons.log.warn(
        "the backend says",
        {id,
         {"text", text},
         {"upstream", request_->route->settings.upstream},
         {"script", fcgi::script_filename(request_->head)},
         {"remedy",
          "php-fpm has no such file: is fastcgi: {root: …} the folder as php-fpm sees "
          "it (its chroot, its container)?"}});
}

void Run::note_backend_time() noexcept {
    if (sent_ != Time{}) request_->record.upstream = monotonic_now() - sent_;
}

void Run::leave_backend(error_code failure) {
    if (!exchange_) return;
    note_backend_time();
    if (!exchange_->remarks().empty()) tell_remarks();
    // A slot that was given away may leave its script on the connection: do not reuse that.
    if (!failure && (hold_.state() == Holding::none || exchange_->settled())) {
        exchange_->observe(nullptr);
        Exchange& last = *exchange_;
        last.finish(std::move(exchange_));
    }
    exchange_.reset();
}

// In this order: frees the connection, lets the next request go, serves this one's client.
void Run::end(error_code failure) noexcept {
    stray_ = exchange_ && exchange_->connected() && !exchange_->settled();
    try {
        leave_backend(failure);
    } catch (const std::exception&) {
        exchange_.reset();  // a lost log line must not end the process
    }
    hold_.give_back();
    request_->record.hold = hold_.duration();
    request_->run = nullptr;
    request_->reply.writer(nullptr);
    answered(failure);
    if (--request_->parts == 0) station_.record(*request_);
}

void start_run(Station& station, std::shared_ptr<Request> request, Slot slot) {
    Run::start(station, std::move(request), std::move(slot));
}

}  // namespace ticketgate
