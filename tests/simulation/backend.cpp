#include "simulation/backend.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace ticketgate::sim {
namespace {

char queue_at(std::uint16_t port) {
    return port == 8001 || port == 8002 ? 'a' : port == 8003 ? 'c' : '\0';
}

}  // namespace

std::uint16_t port_of(std::string_view route, bool queued) {
    if (!queued) return 8009;
    return route == "/a" ? 8001 : route == "/b" ? 8002 : 8003;
}

std::unique_ptr<net::Stream> Backend::connect(net::Loop& loop, const net::Endpoint& to,
                                              int& error) {
    Random& r = stage_.random;
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
    connections_.push_back(std::make_unique<BackendConnection>(
        stage_, plan_, link, queue_at(to.port()), refuses, accepts_after));
    return link.stream(loop);
}

void Backend::die(bool by_reset) {
    stage_.judge.backend_goes();
    for (auto& connection : connections_) connection->die(by_reset);
}

BackendConnection::BackendConnection(Stage& stage, const Plan& plan, Link& link, char queue,
                                     bool refuses, Duration accepts_after)
    : Actor(stage), plan_(plan), link_(link), queue_(queue), refuses_(refuses) {
    link.peer = this;
    ready_at_ = clock.now + accepts_after;
    at_ = ready_at_;
}

// ── what the proxy writes, the moment it does ──

// From its first bytes on a request may be running here: whoever reads them decides, not we.
void BackendConnection::written(std::string_view bytes) {
    while (!bytes.empty() && !tap_.broken()) {
        if (tap_.complete()) {
            if (is_occupied_) return stage_.judge.fail("two requests at a time on a connection");
            tap_ = Message(true);
            tap_bytes_ = tapped_id_ = 0;
        }
        if (tap_bytes_ == 0) said_before_ = link_.said();
        const std::size_t n = tap_.feed(bytes);
        bytes.remove_prefix(n);
        tap_bytes_ += n;
        if (!is_occupied_ && tap_bytes_ >= 5 && tapped_id_ == 0) {
            // HEAD skips the line on /a.
            occupied_ = tap_.start().starts_with("HEAD /a") ? '\0' : queue_;
            is_occupied_ = true;
            stage_.judge.occupied(occupied_);
        }
        if (tapped_id_ == 0 && !tap_.target.empty()) {
            tapped_id_ = id_in(tap_.target);
            stage_.trace.note('B', link_.id(), tapped_id_,
                              [&] { return "is sent request " + std::to_string(tapped_id_); });
            stage_.judge.sent(tapped_id_, occupied_);
        }
    }
}

// Written to a connection that had just been closed here: it may fail, and nothing ran.
void BackendConnection::lost(std::string_view bytes) {
    Message message(true);
    (void)message.feed(bytes);
    const std::uint64_t id = tap_.complete() || !tap_.begun() ? id_in(message.target) : tapped_id_;
    // Where nobody acts between the look and the write, the look must have seen it.
    if (tap_.complete() && message.method == "POST" && plan_.interrupts == 0)
        stage_.judge.fail("a POST went to a pooled connection that was closed");
    if (id != 0) stage_.judge.story(id).excuse = "its connection had been closed";
}

// A request that never became whole never runs.
void BackendConnection::proxy_closed() {
    note_unread();
    if (is_occupied_ && !tap_.has_head()) release();
}

void BackendConnection::release() {
    if (!is_occupied_) return;
    is_occupied_ = false;
    stage_.judge.freed(occupied_);
    is_unread_ = link_.unread() != 0;
    if (is_unread_) stage_.judge.unread(occupied_, +1);
}

// What was said before the request was written is no answer to it.
void BackendConnection::taken(std::uint64_t total) {
    if (tapped_id_ != 0 && total > said_before_) stage_.judge.story(tapped_id_).heard = true;
    note_unread();
}

// Until the proxy has read the end, it cannot have given the slot to anybody else.
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
    if (phase_ == Phase::idle || phase_ == Phase::reading) look_at_request();
    if (phase_ == Phase::idle) maybe_close_idle();
    if (phase_ == Phase::working) {
        if (clock.now < ready_at_) return again(ready_at_ - clock.now);
        if (!request_.complete() && !fate().early) return look_at_request();
        prepare_answer();
    }
    if (phase_ == Phase::answering) say();
}

void BackendConnection::look_at_request() {
    const bool waits = phase_ == Phase::working;
    if (link_.available() != 0) {
        phase_ = waits ? phase_ : Phase::reading;
        const auto most = static_cast<std::size_t>(stage_.random.between(1, plan_.backend_piece));
        const std::string bytes = link_.receive(most);
        if (request_.feed(bytes) != bytes.size() || request_.broken())
            return stage_.judge.fail("the backend was sent what is no request");
        again(at_most(100us));
    } else if (link_.ended() || link_.reset()) {
        // The rest does not come: nothing runs, or it is given up.
        return die(false);
    }
    if (!waits && request_.has_head() && phase_ != Phase::idle) begin();
}

void BackendConnection::begin() {
    id_ = id_in(request_.target);
    attempt_ = ++story().begun;
    stage_.trace.note('B', link_.id(), id_, [&] { return "begins " + std::to_string(id_); });
    phase_ = Phase::working;
    ready_at_ = clock.now + fate().work;
    if (faulty() || fate().work + fate().pause >= plan_.response_timeout - 150ms)
        story().excuse = "its backend fails";
    if (fate().interim) (void)link_.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    stage_.tell(Moment::begins, id_);
    again(Duration{});
    if (faulty() && fate().kind == Fate::Kind::dies_reading) die(fate().resets);
}

void BackendConnection::prepare_answer() {
    phase_ = Phase::answering;
    const Fate& f = fate();
    using Kind = Fate::Kind;
    const Kind kind = faulty() ? f.kind : Kind::answers;
    const std::string body = body_of(story().ask);
    closes_ = f.closes || f.form == Fate::Form::until_close || !request_.complete();
    out_ = f.form == Fate::Form::no_content ? "HTTP/1.1 204 No Content\r\n" : "HTTP/1.1 200 OK\r\n";
    if (f.form == Fate::Form::length)
        out_ += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    if (f.form == Fate::Form::chunked) out_ += "Transfer-Encoding: chunked\r\n";
    if (closes_) out_ += "Connection: close\r\n";
    if (stage_.random.chance(plan_.tells_timeout)) out_ += "Keep-Alive: timeout=2\r\n";
    out_ += "\r\n";
    const std::size_t head = out_.size();
    const bool has_body = f.form != Fate::Form::no_content && request_.method != "HEAD";
    if (has_body && f.form == Fate::Form::chunked) {
        char size[16];
        const std::size_t half = body.size() / 2;
        for (const auto& part : {body.substr(0, half), body.substr(half)})
            if (!part.empty())
                out_.append(size, static_cast<std::size_t>(
                                      std::snprintf(size, sizeof(size), "%zx\r\n", part.size())))
                    .append(part + "\r\n");
        out_ += "0\r\n\r\n";
    } else if (has_body) {
        out_ += body;
    }
    pause_at_ = f.pause == Duration{} ? 0 : out_.size() / 2;
    dies_ = kind != Kind::answers;
    if (kind == Kind::dies_before_head) out_.clear();
    if (kind == Kind::dies_in_head) out_.resize(head / 2);
    // Where FIN is the end, only a reset is a death; and a head alone may be all there is.
    if (kind == Kind::dies_in_body)
        out_.resize(has_body ? head + (out_.size() - head) / 2 : head / 2);
    if (kind == Kind::garbage_head) out_ = "HTTP/1.1 2x0 WAT\r\n\r\n";
    if (kind == Kind::garbage_chunk)
        out_ = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n";
}

void BackendConnection::say() {
    // PHP does not mind whether anybody listens.
    if (!out_.empty()) {
        std::size_t n =
            std::min<std::size_t>(out_.size(), stage_.random.between(1, plan_.backend_piece));
        if (pause_at_ != 0) n = std::min(n, pause_at_);
        n = link_.reset() ? n : link_.send(std::string_view(out_).substr(0, n));
        stage_.trace.note('B', link_.id(), n, [&] { return "says " + out_.substr(0, n); });
        out_.erase(0, n);
        const bool pauses = pause_at_ != 0 && pause_at_ == n;
        pause_at_ -= std::min(pause_at_, n);
        if (n == 0) return;  // until there is room
        if (!out_.empty()) return again(pauses ? fate().pause : at_most(50us));
    }
    const bool garbage =
        fate().kind == Fate::Kind::garbage_head || fate().kind == Fate::Kind::garbage_chunk;
    if (dies_ && garbage && ready_at_ != Time::max()) {
        const Duration more = fate().runs_on;
        ready_at_ = Time::max();
        if (more != Duration{}) return again(more);
    }
    end_request();
}

void BackendConnection::end_request() {
    stage_.trace.note('B', link_.id(), id_,
                      [&] { return (dies_ ? "dies on " : "ends ") + std::to_string(id_); });
    stage_.judge.ends(id_);
    release();
    const std::uint64_t id = id_;
    const bool closes = closes_ || fate().closes_untold;
    if (dies_) {
        die(fate().resets || fate().form == Fate::Form::until_close);
    } else if (closes) {
        phase_ = Phase::dead;
        (void)link_.receive(~std::size_t{0});  // what it did not want is not reset for
        link_.close();
    } else {
        phase_ = Phase::idle;
        request_ = Message(true);
        if (stage_.random.chance(plan_.closes_idle)) close_at_ = clock.now + at_most(20ms);
        again(Duration{});
    }
    stage_.tell(Moment::ends, id);
}

void BackendConnection::maybe_close_idle() {
    if (link_.available() != 0) return;
    if (clock.now < close_at_) {
        if (close_at_ != Time::max()) again(close_at_ - clock.now);
        return;
    }
    // As Apache and HAProxy do: some say a word first.
    if (stage_.random.chance(20)) (void)link_.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
    phase_ = Phase::dead;
    link_.close();
}

void BackendConnection::die(bool by_reset) {
    if (phase_ == Phase::dead) return;
    if (tapped_id_ != 0 && is_occupied_) {
        stage_.judge.story(tapped_id_).excuse = "its backend dies";
        stage_.judge.ends(tapped_id_);
    }
    if (phase_ == Phase::accepting) stage_.judge.connect_failed();
    phase_ = Phase::dead;
    release();
    by_reset ? link_.abort() : link_.close();
}

}  // namespace ticketgate::sim
