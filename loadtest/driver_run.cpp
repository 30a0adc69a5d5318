#include "driver_run.hpp"

#include <algorithm>
#include <cinttypes>
#include <stdexcept>

#include "text_lite.hpp"

namespace loadtest {

namespace {

constexpr std::size_t connecting_limit = 256;  // well below any listen backlog
constexpr std::uint64_t most_records = 20'000'000;
constexpr int wake_shift = 56;

// With the request line, Host, X-Seq and X-Sent-Us: 14 fields, about 800 bytes, like a browser.
constexpr const char* browser_fields =
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*\r\n"
    "Accept-Language: en-GB,en;q=0.8,de;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Referer: http://app.example.test/orders/list?page=3&sort=created&direction=descending\r\n"
    "Cookie: session=5f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0; theme=dark; consent=analytics"
    "%3Dfalse%26ads%3Dfalse; csrf=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg\r\n"
    "DNT: 1\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "Priority: u=0, i\r\n";

// A fixed hash instead of a random number: two runs leave at the same places.
std::uint64_t mixed(std::uint64_t n) {
    n ^= n >> 33;
    n *= 0xff51afd7ed558ccdULL;
    n ^= n >> 33;
    n *= 0xc4ceb9fe1a85ec53ULL;
    return n ^ (n >> 33);
}

std::string request_text(const Plan& plan, bool with_work, Micros work_us) {
    std::string out = plan.method + " " + plan.path;
    char mark = plan.path.find('?') == std::string::npos ? '?' : '&';
    if (with_work) {
        print(out, "%cus=%" PRIu64, mark, work_us);
        mark = '&';
    }
    if (plan.size_given) print(out, "%csize=%" PRIu64, mark, plan.answer_size);
    out += " HTTP/1.1\r\nHost: " + plan.host + "\r\n" + browser_fields;
    if (plan.body_size > 0) print(out, "Content-Length: %" PRIu64 "\r\n", plan.body_size);
    return out;
}

}  // namespace

Driver::Driver(const Plan& plan)
    : plan_{plan},
      slow_{plan},
      sent_first_(plan.connections),
      request_{request_text(plan, plan.work_given, plan.work_us)},
      request_running_{
          request_text(plan, true, std::max(plan.work_us, plan.leave_running_work_us))},
      body_(plan.body_size, 'b') {
    clients_.reserve(plan.connections);  // epoll keeps pointers to them
    for (std::uint64_t i = 0; i < plan.connections; ++i) {
        clients_.emplace_back(plan_, i % 2 == 0 ? plan_.proxy : plan_.other_proxy, poller_);
    }
    poller_.add(alarms_.fd(), EPOLLIN, &alarms_);
}

void Driver::run() {
    start_us_ = now_us();
    if (slow_.wanted()) set_alarm(start_us_, Wake::slow_tick, 0);
    connect_more();
    while (!over()) {
        for (const auto& event : poller_.wait(100)) handle(event);
        connect_more();
    }
    slow_.leave();
    if (plan_.hold > 0) return;  // with --hold requests stay unanswered
    for (const auto seq : std::set{outstanding_}) settle(seq, Fate::lost);
}

void Driver::connect_more() {
    for (; opened_ < clients_.size() && connecting_ < connecting_limit; ++opened_) {
        ++connecting_;
        connect(opened_);
    }
}

// A connection within one machine may be refused at once.
void Driver::connect(std::size_t index) {
    clients_[index].connect();
    if (clients_[index].is_closed()) on_outcome(index, Client::Outcome::refused);
}

bool Driver::may_send() const {
    if (finishing()) return false;
    if (plan_.requests > 0 && records_.size() >= plan_.requests) return false;
    return !ending() && records_.size() < most_records && now_us() < start_us_ + plan_.seconds_us;
}

bool Driver::over() const {
    const auto now = now_us();
    if (ending() || now >= start_us_ + plan_.timeout_us) return true;
    if (plan_.hold > 0) return now >= start_us_ + plan_.seconds_us;
    return outstanding_.empty() && !may_send();
}

void Driver::handle(const epoll_event& event) {
    if (event.data.ptr == &alarms_) {
        std::uint64_t token = 0;
        while (alarms_.take_due(now_us(), token)) on_alarm(token);
        return alarms_.rearm();
    }
    auto* client = static_cast<Client*>(event.data.ptr);
    on_outcome(static_cast<std::size_t>(client - clients_.data()), client->on_events(event.events));
}

void Driver::on_outcome(std::size_t index, Client::Outcome outcome) {
    auto& client = clients_[index];
    switch (outcome) {
        case Client::Outcome::nothing:
            return;
        case Client::Outcome::connected:
            if (connecting_ > 0) --connecting_;
            if (sent_first_[index] || plan_.ramp_us == 0) return send_next(index);
            return set_alarm(start_us_ + plan_.ramp_us * index / plan_.connections,
                             Wake::first_send, index);
        case Client::Outcome::answered:
            records_[client.seq() - 1].status = client.status();
            records_[client.seq() - 1].wrong = !client.answer_fits();
            ++answers_;
            settle(client.seq(), Fate::answered);
            if (plan_.retry_us > 0 && client.status() != plan_.expected_status)
                set_alarm(now_us() + plan_.retry_us, Wake::connect, index);
            else
                go_on(index);
            return review_leavers();
        case Client::Outcome::lost:
            settle(client.seq(), Fate::lost);
            return go_on(index);
        case Client::Outcome::refused:
            if (connecting_ > 0 && !sent_first_[index]) --connecting_;
            if (plan_.retry_us > 0 && !client.connected())
                return set_alarm(now_us() + plan_.retry_us, Wake::connect, index);
            if (++refused_ > 1000 + plan_.connections) {
                throw std::runtime_error{"connections to " + plan_.proxy.text + " fail"};
            }
            return go_on(index);
    }
}

void Driver::go_on(std::size_t index) {
    if (plan_.hold > 0 && clients_[index].connected()) return;  // its one request is answered
    if (clients_[index].connected()) return send_next(index);
    if (may_send()) connect(index);
}

void Driver::set_alarm(Micros when, Wake wake, std::uint64_t value) {
    alarms_.set(when, static_cast<std::uint64_t>(wake) << wake_shift | value);
}

void Driver::on_alarm(std::uint64_t token) {
    const auto value = token & ((1ULL << wake_shift) - 1);
    switch (static_cast<Wake>(token >> wake_shift)) {
        case Wake::first_send:
            if (clients_[value].connected() && !clients_[value].waiting()) send_next(value);
            return;
        case Wake::connect:
            if (clients_[value].is_idle() || clients_[value].is_closed()) go_on(value);
            return;
        case Wake::leave_running:
            return leave_running(value);
        case Wake::slow_tick: {
            const auto now = now_us();
            slow_.tick(now);
            return set_alarm(now + SlowClients::tick_us, Wake::slow_tick, 0);
        }
    }
}

void Driver::send_next(std::size_t index) {
    if (!may_send()) return;
    const std::uint64_t seq = records_.size() + 1;
    const auto draw = mixed(seq) % 100;
    const bool running = draw < plan_.leave_running_percent;
    const bool queued = !running && draw < plan_.leave_running_percent + plan_.leave_queued_percent;
    auto text = running ? request_running_ : request_;
    sent_first_[index] = true;
    const auto sent_us = now_us();
    print(text, "X-Seq: %" PRIu64 "\r\nX-Sent-Us: %" PRIu64 "\r\n\r\n", seq, sent_us);
    text += body_;
    clients_[index].send(seq, text);
    records_.push_back({.sent_us = sent_us});
    outstanding_.insert(seq);
    if (running || queued) plan_leave(seq, index, running);
    if (plan_.hold > 0 && !hold_said_ && records_.size() == plan_.hold) {
        std::printf("holding %" PRIu64 "\n", plan_.hold);
        std::fflush(stdout);
        hold_said_ = true;
    }
}

void Driver::plan_leave(std::uint64_t seq, std::size_t index, bool running) {
    Leaver leaver{seq, index, running, 0};
    if (!running) {
        // Leaves two or more answers later, so that the proxy has read it, and at varied depths.
        const auto ahead = outstanding_.size() - 1;
        if (ahead < plan_.leave_ahead + 2) return;
        leaver.when_answers = answers_ + 2 + mixed(seq + 1) % (ahead - plan_.leave_ahead - 1);
    }
    if (review(leaver)) leavers_.push_back(leaver);
}

void Driver::review_leavers() {
    // A leaver that goes reconnects its client, but never adds a leaver in this turn.
    std::erase_if(leavers_, [this](Leaver& leaver) { return !review(leaver); });
}

// Returns false if it has left, or can no longer leave as planned.
bool Driver::review(Leaver& leaver) {
    if (!waits_for(leaver)) return false;
    if (leaver.running) {
        if (leaver.alarm_set || ahead_at_least(leaver.seq, plan_.limit)) return true;
        const auto work_us = std::max(plan_.work_us, plan_.leave_running_work_us);
        set_alarm(now_us() + work_us / 2, Wake::leave_running, leaver.seq);
        leaver.alarm_set = true;
        return true;
    }
    if (!ahead_at_least(leaver.seq, plan_.leave_ahead)) return false;
    if (answers_ < leaver.when_answers) return true;
    leave(leaver, Fate::left_queued);
    return false;
}

void Driver::leave_running(std::uint64_t seq) {
    const auto found = std::find_if(leavers_.begin(), leavers_.end(),
                                    [seq](const Leaver& leaver) { return leaver.seq == seq; });
    if (found == leavers_.end()) return;
    const auto leaver = *found;
    leavers_.erase(found);
    if (waits_for(leaver)) leave(leaver, Fate::left_running);
}

void Driver::leave(const Leaver& leaver, Fate fate) {
    clients_[leaver.client].leave();
    settle(leaver.seq, fate);
    if (may_send()) connect(leaver.client);
}

void Driver::settle(std::uint64_t seq, Fate fate) {
    auto& record = records_[seq - 1];
    record.done_us = now_us();
    record.fate = fate;
    outstanding_.erase(seq);
}

bool Driver::waits_for(const Leaver& leaver) const {
    const auto& client = clients_[leaver.client];
    return client.waiting() && client.seq() == leaver.seq;
}

bool Driver::ahead_at_least(std::uint64_t seq, std::uint64_t count) const {
    std::uint64_t seen = 0;
    for (auto at = outstanding_.begin(); at != outstanding_.end() && *at < seq; ++at) {
        if (++seen >= count) return true;
    }
    return seen >= count;
}

}  // namespace loadtest
