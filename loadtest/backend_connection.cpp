#include "backend_connection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <utility>

#include "text_lite.hpp"

namespace loadtest {

namespace {

constexpr std::size_t read_ahead_limit = 1 << 20;  // pipelined bytes kept while a request runs

std::array<char, 128UL * 1024> read_buffer;
const std::string filler(64UL * 1024, 'x');

}  // namespace

Connection::Connection(Fd fd, const Service& service, Journal& journal, Alarms& alarms,
                       Poller& poller, Outage& outage, Speech speech)
    : fd_{std::move(fd)},
      service_{service},
      journal_{journal},
      alarms_{alarms},
      poller_{poller},
      outage_{outage},
      fastcgi_{speech != Speech::http},
      process_{speech == Speech::process} {
    poller_.add(fd_, watched_, this);
    journal_.accepted();
}

void Connection::on_events(std::uint32_t events) {
    if (finished_) return;
    if ((events & EPOLLOUT) != 0) {
        write();
        advance();
    }
    if (fd_.open() && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read();
}

void Connection::read() {
    // No byte of that request was read, so it was provably not processed.
    if (drops_next_ && state_ == State::reading) return close();
    if (state_ == State::tunnel) return echo();
    const auto got = receive(fd_, read_buffer);
    if (got.state == Io::again) return;
    if (got.state == Io::closed) return lose_peer();
    if (in_.empty()) first_bytes_us_ = now_us();
    const std::string_view bytes{read_buffer.data(), got.size};
    fastcgi_ ? in_.append(fcgi_in_.take(bytes)) : in_.append(bytes);
    if (fcgi_in_.broken()) return close();
    // Read on while a run lasts, to notice a peer that closes; but not without a bound.
    if (in_.size() > read_ahead_limit) watch(state_ == State::writing ? EPOLLOUT : 0U);
    advance();
}

// Serves what was read, one request after the other, as far as it goes without waiting.
void Connection::advance() {
    while (!finished_ && (state_ == State::reading || state_ == State::body)) {
        if (!(state_ == State::reading ? read_head() : read_body())) break;
    }
    if (in_used_ == in_.size() || in_used_ > read_ahead_limit) {
        in_.erase(0, in_used_);
        in_used_ = 0;
    }
}

bool Connection::read_head() {
    const auto end = in_.find("\r\n\r\n", in_used_);
    if (end == std::string::npos) return false;
    head_text_.assign(in_, in_used_, end + 4 - in_used_);
    in_used_ += head_text_.size();
    if (scan(head_text_, head_) != Scan::whole) {
        journal_.truncated();
        close();
        return false;
    }
    body_ = head_.chunked ? Body::chunked() : Body::of_length(head_.content_length);
    fault_ = fault_named(query_text(head_.target, "fault"));
    if (!own_page()) journal_.arrived(first_bytes_us_);
    if (head_.expects_continue && !body_.complete()) {
        (void)transmit(fd_, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    state_ = State::body;
    if (fault_ == Fault::early || fault_ == Fault::takes_all) begin();
    return true;
}

bool Connection::read_body() {
    in_used_ += body_.take(std::string_view{in_}.substr(in_used_));
    if (body_.complete()) {
        if (!kept_back_.empty())
            send_answer();
        else if (fault_ == Fault::early || fault_ == Fault::takes_all)
            state_ = State::reading;  // answered before
        else
            begin();
        return true;
    }
    if (body_.broken()) close();
    return false;
}

void Connection::begin() {
    state_ = State::running;
    if (own_page()) return answer_own_page();
    const auto now = now_us();
    run_ = journal_.start(head_, now, first_bytes_us_);
    started_us_ = now;
    held_ = query_number(head_.target, "hold", 0) == 1;
    if (held_) return;
    auto work_us = query_number(head_.target, "us", service_.work_us);
    work_us = query_number(head_.target, "ms", work_us / 1000) * 1000 + work_us % 1000;
    if (work_us == 0) return answer();
    alarms_.set(now + work_us, std::bit_cast<std::uint64_t>(this));
}

void Connection::let_go() {
    held_ = false;
    on_alarm();
}

void Connection::on_alarm() {
    if (state_ == State::aborted || (state_ == State::late && fastcgi_)) {
        if (state_ == State::late) journal_.end(run_, head_.seq, now_us(), false);
        finished_ = true;
        return;
    }
    if (state_ == State::late)
        end_run(false);
    else
        answer();
    if (!finished_) advance();
}

void Connection::answer() {
    journal_.ready(run_, head_.seq, now_us());
    if (break_off() || begin_tunnel()) return;
    const bool unwanted = has_field(head_text_, query_text(head_.target, "without"));
    const auto status =
        unwanted ? 400 : static_cast<int>(query_number(head_.target, "status", 200));
    const auto size = query_number(head_.target, "size", service_.answer_size);
    const bool chunked = query_number(head_.target, "chunked", 0) == 1;
    const bool bodiless = head_.method == "HEAD" || status == 204 || status == 304;
    answer_head(status, size, chunked);
    const bool coded = chunked && !fastcgi_;
    if (coded && !bodiless) append_chunks(out_, size, fault_ == Fault::bare ? " ; a = \"b\"" : "");
    filler_left_ = coded || bodiless ? 0 : size;
    const bool keeps_back = fault_ == Fault::takes_all && !body_.complete();
    if (fastcgi_) {
        out_ = fcgi_output(out_, std::string(filler_left_, 'x'), !keeps_back);
        filler_left_ = 0;
        if (keeps_back) kept_back_ = fcgi_output("", "", true);
    } else if (keeps_back && filler_left_ > 0) {
        --filler_left_;
        kept_back_ = "x";
    }
    send_answer();
}

void Connection::answer_head(int status, std::uint64_t size, bool chunked) {
    const char* reason = fault_ == Fault::bare ? "" : status == 200 ? " OK" : " As Asked";
    print(out_, "%s %d%s\r\nServer: tg_backend\r\nContent-Type: text/plain\r\n",
          fastcgi_ ? "Status:" : "HTTP/1.1", status, reason);
    if (head_.seq != 0) print(out_, "X-Seq: %" PRIu64 "\r\n", head_.seq);
    if (chunked) {
        if (!fastcgi_) out_ += "Transfer-Encoding: chunked\r\n";
    } else if (status != 204) {
        print(out_, "Content-Length: %" PRIu64 "\r\n", size);
    }
    if (fault_ == Fault::odd_field) out_ += "X-Odd: a\x01z\r\n";
    if (query_number(head_.target, "unbuffered", 0) == 1) out_ += "X-Accel-Buffering: no\r\n";
    out_ += stays_open() || fastcgi_ ? "\r\n" : "Connection: close\r\n\r\n";
}

// Returns true if the requested fault replaces the answer or cuts it.
bool Connection::break_off() {
    constexpr std::uint64_t promised = 10'000;
    switch (fault_) {
        case Fault::silent:
        case Fault::die_read:
            fail("");
            return true;
        case Fault::garbage:
            fail("\x01\x02 this is no HTTP\r\n\r\n");
            return true;
        case Fault::die_head:
        case Fault::die_body:
            answer_head(200, promised, false);
            fail(fault_ == Fault::die_head ? "" : "the first of many bytes");
            return true;
        case Fault::die_chunk:
            answer_head(200, 0, true);
            fail("1000\r\nthe first of 4096 bytes");
            return true;
        default:
            drops_next_ = fault_ == Fault::drop_next;
            return false;
    }
}

// Small enough that the socket takes it at once.
void Connection::fail(std::string_view last_words) {
    const auto last_us = now_us();
    if (fastcgi_ && !out_.empty()) out_ = fcgi_output(out_, std::exchange(last_words, {}), false);
    if (!out_.empty() || !last_words.empty()) (void)transmit(fd_, out_, last_words);
    journal_.end(run_, head_.seq, last_us, peer_closed_);
    close();
}

void Connection::abort() {
    if (finished_ || state_ == State::aborted) return;
    const bool early = state_ == State::body && !kept_back_.empty();
    const bool runs = !own_page() && (state_ == State::running || state_ == State::writing ||
                                      state_ == State::late || early || tunnel_held_);
    if (runs) journal_.end(run_, head_.seq, now_us(), peer_closed_);
    const bool alarm_pending = (state_ == State::running || state_ == State::late) && !held_;
    held_ = false;
    close();
    // The alarm still names this object.
    finished_ = !alarm_pending;
    state_ = State::aborted;
}

void Connection::answer_own_page() {
    const auto path = head_.path();
    if (path == "/__stats") return answer_text("application/json", journal_.stats());
    if (path == "/__status") return answer_text("application/json", outage_.workers());
    if (path == "/__faults") return answer_text("text/plain", journal_.faults());
    if (path == "/__overlapped") return answer_text("text/plain", journal_.overlapped());
    if (path == "/__log") return answer_text("text/plain", journal_.log());
    const auto seq = query_number(head_.target, "seq", 0);
    if (path == "/__run") return answer_text("application/json", journal_.run_of(seq));
    if (path == "/__go") {
        const bool held = outage_.let_go(seq);
        return answer_text("application/json", held ? "{\"let_go\":1}\n" : "{\"let_go\":0}\n");
    }
    if (path == "/__id") return answer_text("text/plain", outage_.id_of(seq));
    if (path == "/__refuse" || path == "/__restart") {
        outage_.refuse(query_number(head_.target, "ms", 100) * 1000, path == "/__restart");
        return answer_text("text/plain", "as you wish\n");
    }
    if (path != "/__reset")
        return answer_text("text/plain", "backend.cpp begins with a list of such pages\n");
    auto limits = journal_.limits();
    limits.in_flight = query_number(head_.target, "limit", limits.in_flight);
    limits.slack_us = query_number(head_.target, "slack_us", limits.slack_us);
    journal_.reset(limits);
    answer_text("text/plain", "reset\n");
}

void Connection::answer_text(std::string_view type, const std::string& text) {
    filler_left_ = 0;
    if (fastcgi_) {
        out_ = fcgi_output("Content-Type: " + std::string{type} + "\r\n\r\n", text, true);
        return send_answer();
    }
    print(out_, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s\r\n",
          std::string{type}.c_str(), text.size(), stays_open() ? "" : "Connection: close\r\n");
    out_ += text;
    send_answer();
}

void Connection::send_answer() {
    state_ = State::writing;
    write();
}

// Writes as much as the socket takes; called again when it takes more.
void Connection::write() {
    while (state_ == State::writing) {
        const auto head = std::string_view{out_}.substr(out_sent_);
        const auto body = std::string_view{filler}.substr(
            0, std::min<std::uint64_t>(filler_left_, filler.size()));
        if (head.empty() && body.empty()) {
            if (kept_back_.empty()) return written(false);
            if (!body_.complete()) return take_rest();
            out_ += std::exchange(kept_back_, {});
            continue;
        }
        writing_us_ = now_us();
        const auto sent = transmit(fd_, head, body);
        if (sent.state == Io::again) return watch(EPOLLOUT);
        if (sent.state == Io::closed) return written(true);
        const auto of_head = std::min(sent.size, head.size());
        out_sent_ += of_head;
        filler_left_ -= sent.size - of_head;
    }
}

void Connection::take_rest() {
    state_ = State::body;
    watch(EPOLLIN);
}

void Connection::written(bool client_gone) {
    if (!work_on()) end_run(client_gone);
}

void Connection::end_run(bool client_gone) {
    const Micros ended_us = state_ == State::late ? now_us() : writing_us_;
    if (!own_page()) journal_.end(run_, head_.seq, ended_us, client_gone || peer_closed_);
    out_.clear();
    out_sent_ = 0;
    state_ = body_.complete() ? State::reading : State::body;  // what is left of it, if early
    if (client_gone || !stays_open()) return close();
    watch(EPOLLIN);
    // The next pipelined request, if any, came with the bytes before.
    first_bytes_us_ = now_us();
}

// As after fastcgi_finish_request(): the answer is sent, the connection closed, the script goes on.
// Over HTTP it goes on after an answer that ends with its head, or will end with the connection.
bool Connection::work_on() {
    const auto late_us = may_work_on() ? query_number(head_.target, "late_us", 0) : 0;
    held_ = fastcgi_ && query_number(head_.target, "late_hold", 0) == 1 && !own_page();
    if (!held_ && (late_us == 0 || own_page())) return false;
    fastcgi_ ? fd_.reset() : watch(0);
    state_ = State::late;
    if (held_) return true;
    alarms_.set(now_us() + late_us, std::bit_cast<std::uint64_t>(this));
    return true;
}

bool Connection::may_work_on() const {
    return fastcgi_ || head_.method == "HEAD" || query_number(head_.target, "close", 0) == 1;
}

// Like a WebSocket server: a 101, then an echo of every byte. For `tunnel=hold` the run lasts until
// the peer ends it, else it ends with the 101.
bool Connection::begin_tunnel() {
    const auto kind = query_text(head_.target, "tunnel");
    if (kind.empty() || fastcgi_) return false;
    std::string answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n";
    print(answer, "Upgrade: websocket\r\nX-Seq: %" PRIu64 "\r\n\r\n", head_.seq);
    const auto now = now_us();
    tunnel_held_ = kind == "hold";
    state_ = State::tunnel;
    (void)transmit(fd_, answer, std::string_view{in_}.substr(in_used_));
    in_.clear();
    in_used_ = 0;
    if (!tunnel_held_) journal_.end(run_, head_.seq, now, peer_closed_);
    if (peer_closed_) end_tunnel();
    return true;
}

// Pieces small enough that the socket takes each at once.
void Connection::echo() {
    const auto got = receive(fd_, read_buffer);
    if (got.state == Io::closed) return end_tunnel();
    if (got.state == Io::done) (void)transmit(fd_, std::string_view{read_buffer.data(), got.size});
}

void Connection::end_tunnel() {
    if (tunnel_held_) journal_.end(run_, head_.seq, now_us(), true);
    tunnel_held_ = false;
    close();
}

std::string Connection::worker(Micros now) const {
    const bool answered = state_ == State::late;
    if (finished_ || own_page() ||
        !(answered || state_ == State::running || state_ == State::writing))
        return {};
    std::string entry;
    print(entry, R"({"state":"%s","request duration":%)" PRIu64 R"(,"request method":"%s",)",
          answered ? "Finishing" : "Running", now - started_us_, std::string{head_.method}.c_str());
    return entry + R"("request uri":")" + fcgi_in_.shown_uri() + R"("})";
}

// The peer sends no more. A run that has begun goes on, and its answer is tried.
void Connection::lose_peer() {
    if (process_) return abort();
    peer_closed_ = true;
    if (state_ == State::body || (state_ == State::reading && !in_.empty())) journal_.truncated();
    if (!kept_back_.empty() && state_ == State::body) journal_.end(run_, head_.seq, now_us(), true);
    if (state_ == State::reading || state_ == State::body) return close();
    // A closed socket stays readable for ever; unwatched, it does not make the loop spin.
    watch(state_ == State::writing ? EPOLLOUT : 0U);
}

void Connection::close() {
    fd_.reset();
    finished_ = true;
}

bool Connection::own_page() const {
    return head_.target.starts_with("/__");
}

bool Connection::stays_open() const {
    if (fastcgi_) return fcgi_in_.keeps_connection() && !peer_closed_;
    return head_.keep_alive && !peer_closed_ && query_number(head_.target, "close", 0) == 0;
}

void Connection::watch(std::uint32_t events) {
    if (events == watched_) return;
    if (events == 0)
        poller_.remove(fd_);
    else if (watched_ == 0)
        poller_.add(fd_, events, this);
    else
        poller_.change(fd_, events, this);
    watched_ = events;
}

}  // namespace loadtest
