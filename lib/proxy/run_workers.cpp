// CONTRACT 2.6: a response can end before its script does (fastcgi_finish_request()). With
// `release: worker_idle` the client has its answer, and the slot is kept until the backend says
// that none of its workers still runs the request. A backend that cannot be asked keeps the slot.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "proxy/run_state.hpp"
#include "proxy/status_reader.hpp"

namespace ticketgate {
namespace {

// Most scripts end with their response, so the first question comes at once. A script that works on
// is asked about less and less often: up to a quarter of its time so far may be lost. Few
// durations, as a loop has a list for each.
constexpr std::array<Duration, 6> pauses{1ms, 2ms, 5ms, 10ms, 20ms, 50ms};

Duration pause_after(Duration worked) {
    const auto longer = std::ranges::upper_bound(pauses, worked / 4);
    return longer == pauses.begin() ? pauses.front() : *std::prev(longer);
}

// A longer wait for a worker of the scripts is logged: others may run first.
constexpr Duration patience_of_scripts = 10s;

}  // namespace

// A reload may have removed `release: worker_idle` from the queue. A request that was routed to an
// upstream without a status page needs no question: its queue had `release: response` then.
bool Run::asks_workers() const noexcept {
    return hold_.waits_for_workers() && request_->reached_backend && !station_.stopping() &&
           upstream_to_ask()->worker_status() != nullptr;
}

// The upstream as the request knew it, or as the config in force has it, if that is the same
// backend and has a status page: a reload may have corrected its address.
std::shared_ptr<Upstream> Run::upstream_to_ask() const noexcept {
    const Snapshot &then = *request_->snapshot, &now = *station_.snapshot();
    const std::string& name = settings().upstream;
    const auto found = now.upstreams.find(name);
    const bool same =
        found != now.upstreams.end() && found->second->worker_status() != nullptr &&
        config::same_backend(then.config.upstreams.at(name), now.config.upstreams.at(name));
    return same ? found->second : request_->route->upstream;
}

task<void> Run::outlast_workers(error_code failure) {
    Answered request{request_->method, request_->target, sent_, monotonic_now()};
    if (request_->script) request.script = &*request_->script;
    if (exchange_) request.sent_to = exchange_->peer();
    if (exchange_ && exchange_->worker_gone()) worker_gone_ = true;
    leave_backend(failure);
    bool told = true;
    fcgi::StatusAdvice untold;
    while (asks_workers()) {
        const auto busy = co_await ask_workers(request, untold);
        // The end of a connection shows less than the page: a balancer in between may have cut it.
        if (busy ? *busy == fcgi::Working::no : worker_gone_) hold_.give_back();
        if (busy && !told) tell_readable();
        if (!hold_.held()) co_return;
        if (!asks_workers()) break;  // a stop or a reload has ended the question
        busy ? hold_.told() : hold_.not_told();
        if (!busy && told && !untold.why.empty())
            tell_held("the workers' status cannot be read; the slot stays held", untold.why,
                      untold.remedy + "; " + release_remedy());
        told = busy || (told && untold.why.empty());
        station_.loop.arm(deadline_, pause_after(monotonic_now() - request.ended));
        while (hold_.held() && !station_.stopping() && !deadline_.expired()) {
            co_await signal_;
            look_at_hold();
        }
    }
}

// After a warning that the slot stays held as the page cannot be read.
void Run::tell_readable() {
    station_.commons.log.info("the workers' status can be read again",
                              {{"request_id", request_->record.request_id},
                               {"queue", request_->record.queue},
                               {"slot", hold_.held() ? "held" : "free"}});
}

// `untold`: why nothing was told, and what helps.
task<result<fcgi::Working>> Run::ask_workers(Answered& request, fcgi::StatusAdvice& untold) {
    const std::shared_ptr<Upstream> upstream = upstream_to_ask();
    WorkerStatus* const workers = upstream->worker_status();
    untold = {};
    if (workers == nullptr) co_return errc::upstream_refused;
    std::optional<StatusReader> reader(std::in_place, *workers, station_.loop, request.sent_to,
                                       station_.commons.spool, signal_);
    request.asked = monotonic_now();
    station_.loop.arm(deadline_, status_patience);
    error_code failure = co_await read_status(*reader);
    request.told = monotonic_now();
    if (!failure) {
        auto told = workers->still_runs(reader->answer(), request);
        if (told && (*told == fcgi::Working::perhaps || workers->one_pool(reader->answer())))
            co_return told;
        if (told) {
            const StatusAnswer page = reader->told();
            reader.reset();  // the worker that gave it may be the only one
            told = co_await ask_scripts(upstream, page, untold);
            co_return told;
        }
        failure = told.error();
    }
    untold = workers->advice(reader->failure(failure));
    untold.why += " (asked at " + reader->address() + ")";
    co_return failure;
}

// The pools were not compared yet, as php-fpm has started since or all its workers were busy, or
// they were two. Keeps its place among those that wait for a worker.
task<result<fcgi::Working>> Run::ask_scripts(std::shared_ptr<Upstream> upstream,
                                             const StatusAnswer& page, fcgi::StatusAdvice& untold) {
    WorkerStatus& workers = *upstream->worker_status();
    StatusReader scripts(StatusReader::Knock{}, workers, station_.loop, station_.commons.spool,
                         signal_);
    const Time begun = monotonic_now();
    error_code failure;
    bool told = false;
    do {
        if (!told && monotonic_now() - begun > patience_of_scripts) {
            told = true;
            hold_.not_told();
            tell_held(
                "php-fpm's status page frees no slot before the scripts' listener has answered",
                scripts.address() + " does not answer",
                "check that a worker of php-fpm is free; " + release_remedy());
        }
        station_.loop.arm(deadline_, status_patience);
        failure = co_await read_status(scripts);
    } while (failure == errc::upstream_timeout && upstream_to_ask() == upstream);
    const Comparison compared = compare_pools(workers, page, scripts.told());
    if (compared.frees_slots()) co_return fcgi::Working::no;
    if (compared.pools == Comparison::Pools::two)
        untold = {compared.why, workers.advice_for_other_pool().remedy};
    else if (failure != errc::client_closed && failure != errc::upstream_timeout)
        untold = {"whether the page is of the pool of the scripts is not known: " +
                      scripts.address() + " tells no page (" + failure.message() + ")",
                  "check that php-fpm runs and that pm.status_path is set in its pool"};
    co_return errc::upstream_bad_response;
}

task<error_code> Run::read_status(StatusReader& reader) {
    for (;;) {
        const auto step = reader.advance();
        if (!step) co_return step.error();
        if (*step == Step::done) co_return error_code();
        co_await signal_;
        look_at_hold();
        if (station_.stopping() || !hold_.waits_for_workers()) co_return errc::client_closed;
        if (deadline_.expired()) co_return errc::upstream_timeout;
    }
}

}  // namespace ticketgate
