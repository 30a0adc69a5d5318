// CONTRACT 2.6: a response can end before its script does (fastcgi_finish_request()). With
// `release: worker_idle` the client has its answer, and the slot is kept until the backend says
// that none of its workers still runs the request. A backend that cannot be asked keeps the slot.
#include <algorithm>
#include <array>

#include "proxy/run_state.hpp"

namespace ticketgate {
namespace {

// Most scripts end with their response, so the first look is at once. One that works on is looked
// at less and less often: a quarter of its time so far may be lost to looking late. Few durations,
// as a loop has a list for each.
constexpr std::array<Duration, 6> pauses{1ms, 2ms, 5ms, 10ms, 20ms, 50ms};

Duration pause_after(Duration worked) {
    const auto longer = std::ranges::upper_bound(pauses, worked / 4);
    return longer == pauses.begin() ? pauses.front() : *std::prev(longer);
}

// A status page is made without a script; and a table for thousands of workers.
constexpr Duration patience = 1s;
constexpr std::size_t max_answer = 4 << 20;

}  // namespace

bool Run::asks_workers() const {
    return hold_.waits_for_workers() && sent_anything_ && !station_.stopping();
}

task<void> Run::outlast_workers(error_code failure) {
    leave_backend(failure);
    const Record& record = request_->record;
    Answered request{record.method, record.target, sent_, monotonic_now(), {}, {}};
    bool told = true;
    while (hold_.held() && !station_.stopping()) {
        const auto busy = co_await ask_workers(request);
        if (busy && *busy == fcgi::Working::no) hold_.give_back();
        if (!hold_.held()) co_return;
        if (!busy) hold_.not_told();
        if (!busy && told)
            station_.commons.log.warn(
                "the workers' status cannot be read; the slot stays held",
                {{"request_id", record.request_id}, {"why", busy.error().message()}});
        told = busy.has_value();
        station_.loop.arm(deadline_, pause_after(monotonic_now() - request.ended));
        while (hold_.held() && !station_.stopping() && !deadline_.expired()) {
            co_await signal_;
            look_at_hold();
        }
    }
}

task<result<fcgi::Working>> Run::ask_workers(Answered& request) {
    WorkerStatus* const workers = request_->route->upstream->worker_status();
    if (workers == nullptr) co_return errc::upstream_refused;
    std::string head, answer;
    const auto status = workers->ask(station_.loop, head);
    status->observe(&signal_);
    request.asked = monotonic_now();
    station_.loop.arm(deadline_, patience);
    const auto failure = co_await read_status(*status, head, answer);
    if (failure) co_return failure;
    request.told = monotonic_now();
    co_return workers->still_runs(answer, request);
}

task<error_code> Run::read_status(Exchange& status, std::string_view head, std::string& answer) {
    http::ResponseHead response;
    Body none(station_.commons.spool);
    for (bool sent = false, begun = false;;) {
        if (!sent) {
            const auto step = status.send(head, none);
            if (!step) co_return step.error();
            sent = *step == Step::done;
        }
        if (sent && !begun) {
            const auto step = status.read_head(false, response);
            if (!step) co_return step.error();
            begun = *step == Step::done;
            if (begun && response.status != 200) co_return errc::upstream_bad_response;
        }
        while (begun) {
            std::string_view piece;
            const auto step = status.read_body(piece);
            if (!step) co_return step.error();
            if (*step == Step::blocked) break;
            if (piece.empty()) co_return error_code();
            if (answer.size() + piece.size() > max_answer) co_return errc::upstream_bad_response;
            answer += piece;
        }
        co_await signal_;
        look_at_hold();
        if (station_.stopping() || !hold_.held()) co_return errc::client_closed;
        if (deadline_.expired()) co_return errc::upstream_timeout;
    }
}

}  // namespace ticketgate
