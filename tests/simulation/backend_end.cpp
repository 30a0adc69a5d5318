// How an exchange ends at the backend: after its answer, with the rest of its request, or in a
// fault.
#include <algorithm>
#include <utility>

#include "simulation/backend.hpp"

namespace ticketgate::sim {
namespace {

constexpr Time never_at = Time::max();

}  // namespace

// The response is out, and over FastCGI the script may be told so and work on.
void BackendConnection::end_answer() {
    stage_.trace.note('B', link_.id(), id_,
                      [&] { return (answer_.dies ? "dies on " : "ends ") + std::to_string(id_); });
    stage_.judge.ends(id_);
    behind_ = std::exchange(answer_.behind, {});
    behind_at_ = clock.now + fate().says_late;
    // All had been written before that: it did not matter, and must not meet another request.
    if (request_->complete()) link_.seal(false);
    if (fate().reads_on != Duration{} && !request_->complete() && !answer_.dies) {
        phase_ = Phase::reading_on;
        return fate().gulps ? gulp() : again(fate().reads_on);
    }
    const bool finished = port_.outlives_end && fate().works_on != Duration{} && !answer_.dies;
    const bool untold = !fcgi() && answer_.works_on && !answer_.dies && occupied_ != 0;
    // A worker that still works does not read: a further request would only wait in the buffer.
    closes_ = (answer_.closes && !fate().stays) || fate().closes_untold || finished;
    if (!untold) maybe_close();
    if (!finished && !untold) return end_work();
    phase_ = Phase::working_on;
    ready_at_ = clock.now + fate().works_on;
    writes_at_ = fate().writes_after == Duration{} ? never_at : clock.now + fate().writes_after;
    again(std::min(fate().works_on, Duration(writes_at_ - clock.now)));
}

void BackendConnection::work_on() {
    if (writes_at_ <= clock.now) {
        writes_at_ = never_at;
        if (!link_.closed()) (void)link_.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
    if (clock.now < ready_at_) return again(std::min(ready_at_, writes_at_) - clock.now);
    end_work();
}

void BackendConnection::maybe_close() {
    if (!closes_ || answer_.dies || link_.closed()) return;
    (void)link_.receive(~std::size_t{0});  // discards unread bytes, so that closing does not reset
    link_.close();
}

void BackendConnection::end_work() {
    release();
    maybe_close();
    const std::uint64_t id = id_;
    if (answer_.dies) {
        die(answer_.resets);
    } else if (link_.closed()) {
        phase_ = Phase::dead;
    } else {
        phase_ = Phase::idle;
        request_ = next_request();
        waits_since_ = clock.now;
        if (stage_.random.chance(plan_.closes_idle)) close_at_ = clock.now + at_most(20ms);
        if (plan_.keeps < never) close_at_ = std::min(close_at_, clock.now + plan_.keeps);
        again(Duration{});
    }
    stage_.tell(Moment::ends, id);
}

// It was asked whether it is done: some servers answer the question, others only close.
void BackendConnection::answer_question() {
    (void)link_.receive(~std::size_t{0});
    if (stage_.random.chance(50))
        (void)link_.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    phase_ = Phase::dead;
    link_.close();
}

// In the moment of the answer's last byte, before anybody else acts.
void BackendConnection::gulp() {
    while (link_.available() != 0) feed_piece();
    if (!request_->complete()) return again(fate().reads_on);
    stage_.judge.arrived(id_, *request_);
    phase_ = Phase::working_on;
    ready_at_ = clock.now + fate().reads_on;
    again(fate().reads_on);
}

// A script whose input is cut works on with what it got.
void BackendConnection::read_on() {
    if (clock.now < ready_at_) return again(ready_at_ - clock.now);
    if (link_.available() == 0) {
        if (!link_.ended() && !link_.reset()) return;
        stage_.judge.upload_cut(id_);
        answer_.dies = true;
        phase_ = Phase::working_on;
        ready_at_ = clock.now + 50ms;
        return again(50ms);
    }
    feed_piece();
    if (request_->complete()) {
        stage_.judge.arrived(id_, *request_);
        return end_work();
    }
    ready_at_ = clock.now + fate().reads_on;
    again(fate().reads_on);
}

// First the network goes, then the work ends.
void BackendConnection::work_unheard() {
    if (clock.now < ready_at_) return again(ready_at_ - clock.now);
    if (link_.closed()) return end_unheard();
    link_.lose();
    ready_at_ = clock.now + fate().runs_on;
    again(fate().runs_on);
}

void BackendConnection::end_unheard() {
    phase_ = Phase::dead;
    release();
    link_.lose();
    stage_.ended_unheard(id_);
}

// As the write timeouts of nginx, Apache and HAProxy: the script behind them does not notice.
void BackendConnection::wait_for_room() {
    stuck_since_ = std::min(stuck_since_, clock.now);
    if (plan_.gives_up >= never || port_.speech != Speech::http) return;
    const Time due = stuck_since_ + plan_.gives_up;
    if (clock.now < due) return again(due - clock.now);
    if (clock.now > due + 500ms) {  // time has jumped for all
        stuck_since_ = clock.now;
        return again(plan_.gives_up);
    }
    story().excuse = "its backend fails";
    link_.close();
    phase_ = Phase::given_up;
    ready_at_ = clock.now + 10 * plan_.gives_up;  // until its client reads on, and longer
    again(10 * plan_.gives_up);
}

void BackendConnection::end_given_up() {
    if (clock.now < ready_at_) return again(ready_at_ - clock.now);
    phase_ = Phase::dead;
    stage_.judge.ends(id_);
    release();
    stage_.tell(Moment::ends, id_);
}

void BackendConnection::maybe_close_idle() {
    if (link_.available() != 0) return;
    if (clock.now < close_at_) {
        if (close_at_ != Time::max()) again(close_at_ - clock.now);
        return;
    }
    // Like Apache and HAProxy; some send a 408 first.
    if (!fcgi() && stage_.random.chance(20))
        (void)link_.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
    phase_ = Phase::dead;
    link_.close();
}

void BackendConnection::die(bool by_reset) {
    if (phase_ == Phase::dead) return;
    if (phase_ == Phase::unheard) return end_unheard();
    if (phase_ == Phase::given_up) return end_given_up();
    if (tapped_id_ != 0 && is_occupied_) {
        stage_.judge.story(tapped_id_).excuse = "its backend dies";
        stage_.judge.ends(tapped_id_);
    }
    if (phase_ == Phase::accepting) stage_.judge.connect_failed();
    phase_ = Phase::dead;
    release();
    if (plan_.has_calls() && id_ != 0) stage_.tell(Moment::ends, id_);
    if (link_.closed()) return;
    by_reset ? link_.abort() : link_.close();
}

}  // namespace ticketgate::sim
