#include "client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cinttypes>

#include "../text_lite.hpp"

namespace loadtest {

namespace {

std::array<char, 256UL * 1024> read_buffer;
const std::string filler(64UL * 1024, 'u');

Allowed as_allowed(int status) {
    switch (status) {
        case 200:
            return allow::ok;
        case 404:
            return allow::not_found;
        case 408:
            return allow::request_late;
        case 502:
            return allow::bad_gateway;
        case 503:
            return allow::unavailable;
        case 504:
            return allow::timeout;
        case 508:
            return allow::own_call;
        default:
            return 0;
    }
}

}  // namespace

Task<bool> Client::connect(int receive_buffer) {
    in_.clear();
    tls_.reset();
    ended_ = false;
    fresh_ = true;
    const auto& to = door_ != nullptr ? door_->at : world_.settings.proxy;
    socket_.open(connect_to(to, receive_buffer, from_));
    if (!connected()) co_return false;
    (void)co_await socket_.stir(world_.patience());
    int failure = 0;
    socklen_t size = sizeof failure;
    ::getsockopt(socket_.fd().get(), SOL_SOCKET, SO_ERROR, &failure, &size);
    bool fine = failure == 0;
    if (fine && door_ != nullptr) fine = co_await send_text(door_->header);
    if (fine && world_.settings.tls) fine = co_await shake_hands();
    if (!fine) close();
    co_return fine;
}

Task<bool> Client::shake_hands() {
    const auto deadline = world_.patience();
    tls_.emplace(socket_.fd());
    for (bool in_time = true; in_time;) {
        const auto state = tls_->shake_hands().state;
        if (state != Io::again) co_return state == Io::done;
        in_time = co_await socket_.stir(deadline);
    }
    co_return false;
}

IoResult Client::receive(std::span<char> into) {
    return tls_ ? tls_->receive(into) : loadtest::receive(socket_.fd(), into);
}

IoResult Client::transmit(std::string_view text) {
    return tls_ ? tls_->transmit(text) : loadtest::transmit(socket_.fd(), text);
}

void Client::close() {
    tls_.reset();
    socket_.reset();
}

Task<bool> Client::exchange(const Call& call) {
    bool fine = connected();
    if (!fine) fine = co_await connect();
    if (!fine) {
        // Nothing listens: records the request although it was never sent.
        pending_.push_back(world_.note_sent(call));
        end(Fate::closed);
        co_return false;
    }
    fine = co_await send(call);
    if (fine) fine = co_await answer();
    co_return fine;
}

Task<bool> Client::send(const Call& call) {
    const bool begun = co_await begin_upload(call, call.body);
    if (begun) finish_upload();
    co_return begun;
}

Task<bool> Client::begin_upload(const Call& call, std::uint64_t sent) {
    const auto seq = world_.note_sent(call);
    world_.record(seq).fresh = std::exchange(fresh_, false);
    world_.record(seq).before = world_.record(seq).fresh ? 0 : sent_last_;
    sent_last_ = seq;
    pending_.push_back(seq);
    auto head = text(call, seq);
    if (sent > 0 && sent <= filler.size()) {
        // One write with the head, as a small form is sent.
        head.append(filler, 0, sent);
        sent = 0;
    }
    bool fine = co_await send_text(head);
    if (fine) fine = co_await send_filler(sent);
    co_return fine;
}

Task<bool> Client::send_filler(std::uint64_t bytes) {
    bool fine = true;
    while (fine && bytes > 0) {
        const auto part = std::min<std::uint64_t>(bytes, filler.size());
        fine = co_await send_text(std::string_view(filler).substr(0, part));
        bytes -= part;
    }
    co_return fine;
}

void Client::finish_upload() {
    world_.record(last_seq()).whole_us = now_us();
}

Task<bool> Client::send_text(std::string_view text) {
    const auto deadline = world_.patience();
    bool in_time = true;
    while (in_time && !text.empty()) {
        const auto sent = transmit(text);
        // An answer may already be there (413, 503); answer() reads it.
        if (sent.state == Io::closed) co_return true;
        text.remove_prefix(sent.size);
        if (sent.state == Io::again) in_time = co_await socket_.stir(deadline);
    }
    co_return in_time;
}

Task<bool> Client::answer(Micros deadline) {
    bool more = true;
    while (more && !have_head()) more = co_await read_more(deadline);
    if (!more) {
        end(in_.empty() ? Fate::closed : Fate::broken);
        co_return false;
    }
    in_.erase(0, head_.size);
    more = co_await take_body(deadline);
    co_return more;
}

// Skips interim heads, such as 100.
bool Client::have_head() {
    while (scan(in_, head_) == Scan::whole) {
        if (head_.status >= 200) return true;
        in_.erase(0, head_.size);
    }
    return false;
}

Task<bool> Client::take_body(Micros deadline) {
    const bool until_close = !head_.chunked && !head_.has_length;
    const bool bodiless = !pending_.empty() && world_.record(pending_.front()).head;
    body_ = bodiless        ? Body::of_length(0)
            : head_.chunked ? Body::chunked()
            : until_close   ? Body::until_close()
                            : Body::of_length(head_.content_length);
    in_.erase(0, body_.take(in_));
    bool more = true;
    while (more && !body_.complete() && !body_.broken()) {
        more = co_await read_more(deadline);
        in_.erase(0, body_.take(in_));
    }
    if (!more && !(until_close && ended_)) {
        end(Fate::broken);
        co_return false;
    }
    judge_answer();
    if (!head_.keep_alive) close();
    co_return true;
}

// The views in the head are invalid by now; its numbers are not.
void Client::judge_answer() {
    if (pending_.empty()) return;
    const auto seq = pending_.front();
    pending_.pop_front();
    auto& record = world_.record(seq);
    status_ = head_.status;
    record.fate = Fate::answered;
    record.status = static_cast<std::uint16_t>(head_.status);
    record.wrong = (as_allowed(head_.status) & record.allowed) == 0 || body_.broken();
    // A half-closed client may be told that it is seen as gone.
    if (record.left_us != 0) record.wrong = false;
    if (head_.status == 200) {
        record.wrong |=
            head_.seq != seq || body_.content_bytes() != (record.head ? 0 : record.size);
    }
    world_.note_done(seq);
    if (pending_.empty()) return;
    // A pipelined request is read when the one before it is answered: from here on it waits.
    auto& next = world_.record(pending_.front());
    next.head_us = record.done_us;
    if (next.whole_us != 0) next.whole_us = record.done_us;
}

Task<bool> Client::read_more(Micros deadline) {
    bool in_time = true;
    while (in_time && connected() && !ended_) {
        const auto got = receive(read_buffer);
        in_.append(read_buffer.data(), got.size);
        if (got.state == Io::done) co_return true;
        if (got.state == Io::closed) ended_ = true;
        if (got.state == Io::again) in_time = co_await socket_.stir(deadline);
    }
    co_return false;
}

Task<bool> Client::open_tunnel(const Call& call) {
    const auto deadline = world_.patience();
    bool fine = connected();
    if (!fine) fine = co_await connect();
    if (fine) fine = co_await send(call);
    while (fine && scan(in_, head_) != Scan::whole) fine = co_await read_more(deadline);
    if (!fine || head_.status != 101) {
        end(Fate::broken);
        co_return false;
    }
    in_.erase(0, head_.size);
    auto& record = world_.record(pending_.front());
    record.fate = Fate::answered;
    record.status = 101;
    record.wrong = head_.seq != pending_.front();
    world_.note_done(pending_.front());
    pending_.pop_front();
    co_return true;
}

Task<bool> Client::echo(std::size_t bytes) {
    const auto deadline = world_.patience();
    const auto sent = std::string_view{filler}.substr(0, bytes);
    bool fine = co_await send_text(sent);
    while (fine && in_.size() < bytes) fine = co_await read_more(deadline);
    fine = fine && in_ == sent;
    in_.clear();
    co_return fine;
}

Task<std::uint64_t> Client::read_some(std::uint64_t most) {
    const auto got = receive(std::span(read_buffer).first(most));
    if (got.state == Io::again) (void)co_await socket_.stir(now_us() + 100'000);
    co_return got.size;
}

// No request sent gets a (whole) answer any more.
void Client::end(Fate fate) {
    for (const auto seq : std::exchange(pending_, {})) {
        auto& record = world_.record(seq);
        if (record.fate != Fate::sent) continue;
        // Without an end but silent past our patience it stays `sent`: lost.
        if (ended_ || !connected()) record.fate = fate;
        fate = Fate::closed;
        world_.note_done(seq);
    }
    close();
}

void Client::leave(Way way) {
    const auto left = pending_;
    go(way);
    // Not before it is done: this thread may have stood still on the way.
    const auto now = now_us();
    for (const auto seq : left) {
        auto& record = world_.record(seq);
        const bool stays = record.line == Line::stays && record.whole_us != 0;
        // On that line no FIN is a leave; but only a half-closed client reads on.
        if (!stays || way == Way::rst) record.left_us = now;
        if (!stays || way != Way::half) record.fate = Fate::left;
    }
}

void Client::go(Way way) {
    if (tls_ && way != Way::rst) tls_->say_goodbye();
    if (way == Way::half && tls_) return;
    if (way == Way::half) {
        (void)::shutdown(socket_.fd().get(), SHUT_WR);
        return;
    }
    if (way == Way::rst) {
        const linger at_once{1, 0};
        (void)::setsockopt(socket_.fd().get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    pending_.clear();
    close();
}

std::string Client::text(const Call& call, std::uint64_t seq) const {
    const auto& known = facts(call.line);
    std::string out = call.body > 0 ? "POST " : call.head ? "HEAD " : "GET ";
    out.append(call.path != nullptr ? call.path : known.path);
    print(out, "?size=%" PRIu64 "%s%s HTTP/1.1\r\nHost: %s\r\nX-Seq: %" PRIu64 "\r\n", call.size,
          call.query.empty() ? "" : "&", call.query.c_str(), world_.settings.host.c_str(), seq);
    if (call.body > 0) print(out, "Content-Length: %" PRIu64 "\r\n", call.body);
    if (call.upgrade) out += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    return out + call.fields + "\r\n";
}

}  // namespace loadtest
