#include "simulation/client.hpp"

#include <algorithm>

namespace ticketgate::sim {

Client::Client(Stage& stage, const ClientPlan& plan, std::size_t index, std::uint64_t first_id)
    : Actor(stage), plan_(plan), index_(index), first_id_(first_id) {
    for (std::size_t i = 0; i < size(); ++i) texts_.push_back(text_of(ask(i)));
    if (plan.of == 0) again(plan.starts);
}

Client::Text Client::text_of(const Ask& ask) const {
    Text text;
    std::string& out = text.bytes;
    out = ask.method + " " + ask.route + "/" + std::to_string(ask.id) +
          (ask.http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n") + "Host: a\r\n";
    if (plan_.names_caller)
        out += "X-Request-Id: " + stage_.judge.story(plan_.of).request_id + "\r\n";
    if (ask.close && !ask.http_1_0) out += "Connection: close\r\n";
    if (ask.expects_continue) out += "Expect: 100-continue\r\n";
    if (ask.body == Ask::Body::length)
        out += "Content-Length: " + std::to_string(ask.size) + "\r\n";
    if (ask.body == Ask::Body::chunked) out += "Transfer-Encoding: chunked\r\n";
    out += "\r\n";
    text.head = out.size();
    if (ask.body == Ask::Body::length) out.append(ask.size, 'b');
    if (ask.body != Ask::Body::chunked) return text;
    for (std::uint32_t left = ask.size; left > 0;) {
        const std::uint32_t n = std::min<std::uint32_t>(left, 7 + left / 3);
        char head[16];
        out.append(head, static_cast<std::size_t>(std::snprintf(head, sizeof(head), "%x\r\n", n)));
        out.append(n, 'c').append("\r\n");
        left -= n;
    }
    out += "0\r\n\r\n";
    return text;
}

void Client::start(Link& link) {
    link_ = &link;
    link.peer = this;
    for (std::size_t i = 0; i < size(); ++i)
        texts_[i] = text_of(ask(i));  // the caller's id is known
    answer_ = Message(false, ask(0).method == "HEAD");
    again(Duration{});
}

bool Client::mine(std::uint64_t id) const {
    return id >= first_id_ && id < first_id_ + size();
}

// ── one act ──

void Client::act() {
    rest();
    if (done_ || link_ == nullptr) return;
    leave_if_due();
    if (done_) return;
    if (clock.now < stalls_until_) {
        again(stalls_until_ - clock.now);
        if (leave_at_ > clock.now) at_ = std::min(at_, leave_at_);
        return;
    }
    const bool both = can_send() && can_read();
    if (can_send() && (!both || stage_.random.chance(50)))
        send_piece();
    else if (can_read())
        read_piece();
    if (done_) return;
    const bool over = answered_ == size() || (stop_sending_ && answered_ >= sending_);
    if (over && !waits_for_end_) {
        // Most hang up; some wait for the proxy to do so.
        waits_for_end_ = stage_.random.chance(20);
        if (!waits_for_end_) return finish();
    }
    Duration pause = at_most(plan_.pause);
    if (plan_.drips != Duration{}) {
        pause = plan_.drips;
        stalls_until_ = clock.now + pause;
    }
    if (plan_.stall != Duration{} && stage_.random.chance(5)) {
        pause = at_most(plan_.stall);
        stalls_until_ = clock.now + pause;  // whatever arrives meanwhile
        stage_.judge.excuse_all(index_, "its client is slow");
    }
    if (can_send() || can_read()) again(pause);
    if (continue_at_ > clock.now) at_ = std::min(at_, continue_at_);
    at_ = std::min(at_, leave_at_);
}

bool Client::can_send() const {
    if (half_closed_ || stop_sending_ || sending_ == size() || link_->room() == 0) return false;
    if (sending_ - std::min(sending_, answered_) >= plan_.pipelines) return false;
    return offset_ != texts_[sending_].head || clock.now >= continue_at_;
}

bool Client::can_read() const {
    return link_->available() != 0 || link_->ended() || link_->reset();
}

void Client::send_piece() {
    const Text& text = texts_[sending_];
    std::size_t most = text.bytes.size() - offset_;
    const bool stops = ask(sending_).expects_continue || plan_.reads_first;
    const bool waits = stops && offset_ < text.head;
    if (waits) most = text.head - offset_;
    most = std::min<std::size_t>(most, stage_.random.between(1, plan_.piece));
    if (offset_ == 0) stage_.judge.begins_to_send(first_id_ + sending_, link_->quiet_at_close());
    const std::uint64_t before = offset_;
    const std::size_t n = link_->send(std::string_view(text.bytes).substr(offset_, most));
    offset_ += n;
    bytes_sent_ += n;
    stage_.trace.note('C', index_, n, [&] {
        return "sends " + text.bytes.substr(before, std::min<std::size_t>(n, 100));
    });
    if (waits && offset_ == text.head)
        continue_at_ = plan_.reads_first ? Time::max() : clock.now + 300ms;
    note_sent(before);
}

void Client::note_sent(std::uint64_t before) {
    Story& story = stage_.judge.story(first_id_ + sending_);
    if (before < texts_[sending_].head && offset_ >= texts_[sending_].head)
        stage_.judge.head_sent(story.ask.id);
    using enum Leave::When;
    if (plan_.leave.when == sending && bytes_sent_ >= plan_.leave.count)
        leave_in(plan_.leave.after);
    if (offset_ != texts_[sending_].bytes.size()) return;
    story.end_offset = bytes_sent_;
    stage_.judge.all_sent(story.ask.id);
    offset_ = 0;
    continue_at_ = {};
    if (++sending_ == size() && plan_.leave.when == sent) leave_in(plan_.leave.after);
}

// ── answers ──

void Client::read_piece() {
    if (behind_since_ != Time{}) behind_ += clock.now - behind_since_;
    if (answered_ < size()) stage_.judge.lags(first_id_ + answered_, behind_);
    const std::string bytes = link_->receive(stage_.random.between(1, plan_.piece));
    behind_since_ = link_->available() != 0 ? clock.now : Time{};
    if (bytes.empty()) return end_of_stream();
    bytes_read_ += bytes.size();
    stage_.trace.note('C', index_, bytes.size() << 1, [&] { return "reads " + bytes; });
    if (plan_.leave.when == Leave::When::reading && bytes_read_ >= plan_.leave.count)
        leave_in(plan_.leave.after);
    take(bytes);
}

void Client::take(std::string_view bytes) {
    while (!bytes.empty() && !done_) {
        const bool asked = answered_ < sending_ || (answered_ == sending_ && offset_ != 0);
        if (answered_ == size() || !asked)
            return stage_.judge.fail("bytes that answer no request: " + std::string(bytes));
        bytes.remove_prefix(answer_.feed(bytes));
        if (answer_.broken()) return stage_.judge.fail("an answer that is not HTTP");
        if (answer_.complete()) answer_complete();
    }
}

void Client::answer_complete() {
    if (answer_.interim()) {
        if (answer_.status == 100) continue_at_ = {};
    } else {
        stage_.judge.answered(first_id_ + answered_, answer_);
        if (answer_.field("connection") == "close" || ask(answered_).http_1_0) stop_sending_ = true;
        // Answered before it was sent completely: the rest is not sent.
        if (answered_ == sending_) stop_sending_ = true;
        ++answered_;
    }
    behind_ = {};
    const bool more = answered_ < size();
    answer_ = Message(false, more && ask(answered_).method == "HEAD");
}

void Client::end_of_stream() {
    if (!link_->reset()) answer_.end_of_stream();
    if (answer_.complete())
        answer_complete();
    else if (answer_.begun() && answered_ < size())
        stage_.judge.cut(first_id_ + answered_, sending_ > answered_ + 1 || offset_ != 0);
    else if (link_->reset() && answered_ < size())
        stage_.judge.cut_unseen(first_id_ + answered_);
    stage_.trace.note('C', index_, 2, [&] { return std::string("sees the end"); });
    finish();
}

void Client::be_done() {
    done_ = true;
    rest();
    if (plan_.of != 0 && plan_.awaited) --stage_.judge.story(plan_.of).awaits;
}

void Client::finish() {
    be_done();
    link_->close();
}

// ── leaving ──

void Client::hear(Moment moment, std::uint64_t id) {
    if (plan_.of != 0 && id == plan_.of) hear_of_caller(moment);
    if (done_ || link_ == nullptr || plan_.leave.way == Leave::Way::never) return;
    using enum Leave::When;
    if (plan_.leave.when == running && moment == Moment::begins && mine(id))
        leave_in(plan_.leave.after);
    if (plan_.leave.when == other_ends && moment == Moment::ends && !mine(id) && bytes_sent_ != 0 &&
        moments_++ == plan_.leave.count)
        leave_in(Duration{});
    leave_if_due();  // at once, before any other actor notices the event
    at_ = std::min(at_, leave_at_);
}

// The end of a script closes its connections: at once, or a little after its answer.
void Client::hear_of_caller(Moment moment) {
    if (done_) return;
    if (moment == Moment::begins && !called_) {
        called_ = true;
        return again(plan_.starts);
    }
    if (moment != Moment::ends) return;
    if (link_ == nullptr) return be_done();  // it never came to the call
    leave_at_ = clock.now + (stage_.random.chance(50) ? Duration{} : at_most(5ms));
    leave_if_due();
    at_ = std::min(at_, leave_at_);
}

void Client::leave_if_due() {
    if (clock.now < leave_at_ || plan_.leave.way == Leave::Way::never) return;
    leave_at_ = Time::max();
    leave(plan_.leave.way);
}

void Client::leave(Leave::Way way) {
    if (done_ || link_ == nullptr || way == Leave::Way::never) return;
    stage_.judge.leaves(index_, way);
    stage_.trace.note('C', index_, 3, [&] { return "leaves " + std::to_string(int(way)); });
    if (way == Leave::Way::half) {
        half_closed_ = true;
        return link_->finish();
    }
    be_done();
    way == Leave::Way::fin ? link_->close() : link_->abort();
}

}  // namespace ticketgate::sim
