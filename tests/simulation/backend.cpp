#include "simulation/backend.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "simulation/fcgi_request.hpp"
#include "simulation/status.hpp"

namespace ticketgate::sim {

std::uint16_t port_of(std::string_view route, bool queued) {
    if (!queued) return 8009;
    return route == "/a" ? 8001 : route == "/b" ? 8002 : 8003;
}

Speech speech_at(const Plan& plan, std::uint16_t port) {
    const Speeches& speaks = plan.speaks;
    return port == 8001   ? speaks.a
           : port == 8002 ? speaks.b
           : port == 8003 ? speaks.c
                          : speaks.free;
}

Port Backend::port(std::uint16_t number) const {
    const Speech speech = speech_at(plan_, number);
    if (number == 8001 || number == 8002) return {'a', speech, plan_.a.worker_idle};
    if (number == 8003) return {'c', speech, plan_.c.worker_idle};
    return {'\0', speech, false};
}

std::unique_ptr<net::Stream> Backend::connect(net::Loop& loop, const net::Endpoint& to,
                                              int& error) {
    Random& r = stage_.random;
    if (to.port() == status_port) return connect_to_status(loop, error);
    const bool full = clock.now < Clock::begin + plan_.room_after;
    if (full || (plan_.no_room != 0 && r.chance(plan_.no_room))) {
        error = EAGAIN;
        return nullptr;
    }
    if (r.chance(plan_.refuses / 2)) {
        stage_.judge.connect_failed();
        error = ECONNREFUSED;
        return nullptr;
    }
    const bool refuses = r.chance(plan_.refuses);
    Duration accepts_after{static_cast<std::int64_t>(r.below(500'000))};
    if (r.chance(plan_.connects_late)) accepts_after = plan_.connect_timeout + 100ms;
    if (refuses || accepts_after >= plan_.connect_timeout) stage_.judge.connect_failed();
    Link& link = network_.connection(true, plan_.backend_capacity);
    connections_.push_back(std::make_unique<BackendConnection>(stage_, plan_, link, port(to.port()),
                                                               refuses, accepts_after));
    return link.stream(loop);
}

std::unique_ptr<net::Stream> Backend::connect_to_status(net::Loop& loop, int& error) {
    if (stage_.random.chance(plan_.status_fails / 5)) {
        error = ECONNREFUSED;
        return nullptr;
    }
    Link& link = network_.connection(true, plan_.backend_capacity);
    connections_.push_back(std::make_unique<StatusConnection>(stage_, plan_, link, *this));
    return link.stream(loop);
}

std::vector<Worker> Backend::workers() const {
    std::vector<Worker> workers;
    for (const auto& end : connections_) {
        const auto* connection = dynamic_cast<const BackendConnection*>(end.get());
        if (connection != nullptr && connection->fcgi()) workers.push_back(connection->worker());
    }
    return workers;
}

void Backend::die(bool by_reset) {
    for (auto& connection : connections_) connection->die(by_reset);
}

BackendConnection::BackendConnection(Stage& stage, const Plan& plan, Link& link, const Port& port,
                                     bool refuses, Duration accepts_after)
    : FarEnd(stage),
      plan_(plan),
      link_(link),
      port_(port),
      refuses_(refuses),
      tap_(next_request()),
      request_(next_request()) {
    link.peer = this;
    ready_at_ = clock.now + accepts_after;
    at_ = ready_at_;
}

std::unique_ptr<Incoming> BackendConnection::next_request() const {
    if (fcgi()) return std::make_unique<FcgiRequest>();
    return std::make_unique<Message>(true);
}

Worker BackendConnection::worker() const {
    const bool busy = phase_ == Phase::working || phase_ == Phase::answering ||
                      phase_ == Phase::working_on || phase_ == Phase::unheard ||
                      phase_ == Phase::given_up;
    return {busy, method_, uri_, since_};
}

// ── the proxy's writes, at the moment of each write ──

// From its first bytes on a request may be running: the backend decides when it starts.
void BackendConnection::written(std::string_view bytes) {
    constexpr std::string_view question = "OPTIONS * ";  // or what there was room for
    if (tap_->complete() && question.starts_with(bytes.substr(0, question.size())))
        return note_question();
    while (!bytes.empty() && !tap_->broken()) {
        if (tap_->complete()) {
            if (is_occupied_) return stage_.judge.fail("two requests at a time on a connection");
            if (!tap_->keeps()) return stage_.judge.fail("a connection is used beyond its time");
            tap_ = next_request();
            tap_bytes_ = tapped_id_ = 0;
            is_reused_ = true;
        }
        const std::size_t n = tap_->feed(bytes);
        bytes.remove_prefix(n);
        tap_bytes_ += n;
        // A call is told from a stranger by its id.
        const bool known = plan_.has_calls() ? !tap_->target.empty() : tap_bytes_ >= 5;
        if (!is_occupied_ && known && tapped_id_ == 0) occupy();
        if (tapped_id_ == 0 && !tap_->target.empty()) {
            tapped_id_ = id_in(tap_->target);
            stage_.trace.note('B', link_.id(), tapped_id_,
                              [&] { return "is sent request " + std::to_string(tapped_id_); });
            stage_.judge.sent(tapped_id_, occupied_, port_.speech);
            if (is_reused_ && !plan_.proven && tap_->method == "POST")
                stage_.judge.fail("a POST takes a kept connection of an unproven backend");
        }
    }
    if (tap_->broken()) stage_.judge.fail("the proxy writes what is no request");
}

// The proxy may ask once, where the backend has announced the end of the connection, or where the
// end of the answer cannot be told.
void BackendConnection::note_question() {
    const Fate::Kind kind = faulty() ? fate().kind : Fate::Kind::answers;
    const bool told = kind != Fate::Kind::garbage_head && kind != Fate::Kind::garbage_chunk;
    if (was_asked_ || (told && (!answer_.closes || !answer_.bytes.empty())))
        stage_.judge.fail("the proxy asks for the end of work that it must not ask for");
    was_asked_ = true;
}

void BackendConnection::occupy() {
    // HEAD skips the line on /a.
    occupied_ = tap_->start().starts_with("HEAD /a") ? '\0' : port_.queue;
    is_occupied_ = true;
    stage_.judge.occupied(occupied_, plan_.has_calls() ? id_in(tap_->target) : 0);
}

// The connection was just closed here: the write may fail, and nothing ran.
void BackendConnection::lost(std::string_view bytes) {
    const auto message = next_request();
    (void)message->feed(bytes);
    const std::uint64_t id =
        tap_->complete() || !tap_->begun() ? id_in(message->target) : tapped_id_;
    // If no other actor ran between the check and the write, the check must have seen the end.
    if (tap_->complete() && message->method == "POST" && plan_.interrupts == 0)
        stage_.judge.fail("a POST went to a pooled connection that was closed");
    if (id != 0) stage_.judge.story(id).excuse = "its connection had been closed";
}

// An incomplete request never runs.
void BackendConnection::proxy_closed() {
    note_unread();
    if (is_occupied_ && !tap_->has_head()) release();
}

void BackendConnection::release() {
    if (!is_occupied_) return;
    is_occupied_ = false;
    stage_.judge.freed(occupied_, tapped_id_);
    is_unread_ = link_.unread() != 0;
    if (is_unread_) stage_.judge.unread(occupied_, +1);
}

void BackendConnection::taken(std::uint64_t) {
    note_unread();
}

// Until the proxy has read the end, it cannot have given the slot to another request.
void BackendConnection::note_unread() {
    if (!is_unread_ || (link_.unread() != 0 && !link_.proxy_gone())) return;
    is_unread_ = false;
    stage_.judge.unread(occupied_, -1);
}

// ── one act ──

void BackendConnection::act() {
    rest();
    if (phase_ == Phase::accepting) {
        if (clock.now < ready_at_) return again(ready_at_ - clock.now);
        if (refuses_) {
            phase_ = Phase::dead;
            return link_.refuse();
        }
        link_.accept();
        phase_ = Phase::idle;
    }
    if (phase_ == Phase::unheard) return work_unheard();
    if (phase_ == Phase::given_up) return end_given_up();
    say_behind();
    if (phase_ == Phase::working_on) {
        work_on();
        if (phase_ == Phase::working_on) return;
    }
    if (phase_ == Phase::reading_on) read_on();
    if (phase_ == Phase::idle && was_asked_) return answer_question();
    if (phase_ == Phase::idle || phase_ == Phase::reading) look_at_request();
    if (phase_ == Phase::idle) maybe_close_idle();
    if (phase_ == Phase::working) {
        if (clock.now < ready_at_) return again(ready_at_ - clock.now);
        if (!request_->complete() && !fate().early) return look_at_request();
        if (story().awaits > 0) return again(500us);
        prepare_answer();
    }
    if (phase_ == Phase::answering) say();
}

void BackendConnection::look_at_request() {
    const bool waits = phase_ == Phase::working;
    if (link_.available() != 0) {
        phase_ = waits ? phase_ : Phase::reading;
        feed_piece();
        if (request_->complete()) stage_.judge.arrived(id_in(request_->target), *request_);
        again(at_most(100us));
    } else if (link_.ended() || link_.reset()) {
        // The rest never comes: the request does not run, or its run is abandoned.
        return die(false);
    }
    if (!waits && request_->has_head() && phase_ != Phase::idle) begin();
}

void BackendConnection::begin() {
    id_ = id_in(request_->target);
    attempt_ = ++story().begun;
    stage_.trace.note('B', link_.id(), id_, [&] { return "begins " + std::to_string(id_); });
    phase_ = Phase::working;
    method_ = request_->method;
    uri_ = request_->target + "/index.php";
    // On a kept connection php-fpm counts from when the worker began to wait for it.
    since_ = port_.speech == Speech::fcgi_kept ? waits_since_ : clock.now;
    ready_at_ = clock.now + fate().work;
    if (faulty() || fate().work + fate().pause + fate().lingers >= plan_.response_timeout - 150ms)
        story().excuse = "its backend fails";
    if (fate().interim && !fcgi()) (void)link_.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    story().request_id = request_->request_id();
    // A script that waits for a call may be silent for longer than its fate says.
    if (story().awaits != 0 && plan_.response_timeout < 60s) story().excuse = "its backend fails";
    stage_.tell(Moment::begins, id_);
    again(Duration{});
    if (fate().sealed && attempt_ == 1 && !request_->complete()) {
        link_.seal(true);
        story().excuse = "its backend fails";
    }
    if (faulty() && fate().kind == Fate::Kind::dies_reading) die(fate().resets);
    if (faulty() && fate().kind == Fate::Kind::unheard) {
        phase_ = Phase::unheard;
        again(fate().work);
    }
}

void BackendConnection::prepare_answer() {
    phase_ = Phase::answering;
    const Question question{story().ask, faulty() ? fate().kind : Fate::Kind::answers, *request_,
                            plan_.tells_timeout};
    answer_ = fcgi() ? fcgi_answer(stage_.random, question) : http_answer(stage_.random, question);
    held_.clear();
    if (!fate().takes_all || request_->complete() || answer_.dies || answer_.bytes.empty()) return;
    held_ = answer_.bytes.substr(answer_.bytes.size() - 1);
    answer_.bytes.pop_back();
}

void BackendConnection::feed_piece() {
    const auto most = static_cast<std::size_t>(stage_.random.between(1, plan_.backend_piece));
    const std::string bytes = link_.receive(most);
    const std::size_t used = request_->complete() ? 0 : request_->feed(bytes);
    if (request_->broken() || (used != bytes.size() && !was_asked_))
        stage_.judge.fail("the backend was sent what is no request");
}

// Takes the part of the request that came after the answer began. If that part is cut, the answer
// misses its last byte: where the end of the connection ends it, only a reset shows that.
void BackendConnection::take_rest() {
    if (link_.available() == 0) {
        if (link_.ended() || link_.reset()) die(fate().form == Fate::Form::until_close);
        return;
    }
    feed_piece();
    if (request_->complete()) {
        stage_.judge.arrived(id_, *request_);
        answer_.bytes = std::exchange(held_, {});
    }
    again(at_most(100us));
}

void BackendConnection::say() {
    // PHP goes on even if no client listens.
    std::string& out = answer_.bytes;
    auto& pauses = answer_.pauses;
    if (!pauses.empty() && pauses.front().after == 0) {
        const Duration pause = pauses.front().time;
        pauses.erase(pauses.begin());
        return again(pause);
    }
    if (!out.empty()) {
        std::size_t n =
            std::min<std::size_t>(out.size(), stage_.random.between(1, plan_.backend_piece));
        if (!pauses.empty()) n = std::min(n, pauses.front().after);
        n = link_.reset() ? n : link_.send(std::string_view(out).substr(0, n));
        stage_.trace.note('B', link_.id(), n, [&] { return "says " + out.substr(0, n); });
        out.erase(0, n);
        if (!pauses.empty()) pauses.front().after -= n;
        if (n == 0) return wait_for_room();
        stuck_since_ = Time::max();
        if (!out.empty()) return again(at_most(50us));
    }
    if (!held_.empty()) return take_rest();
    const Duration more = std::exchange(answer_.runs_on, Duration{});
    if (more != Duration{}) {
        ready_at_ = clock.now + more;
        return again(more);
    }
    if (fate().leaves_at_fin && link_.half_closed() && !link_.closed()) link_.close();
    if (clock.now < ready_at_) return again(ready_at_ - clock.now);
    end_answer();
}

// Padding has no meaning but is sent.
void BackendConnection::say_behind() {
    if (behind_.empty() || phase_ == Phase::answering) return;
    if (clock.now < behind_at_) return again(behind_at_ - clock.now);
    if (!link_.closed()) (void)link_.send(behind_);
    behind_.clear();
}

}  // namespace ticketgate::sim
