#include "simulation/judge.hpp"

#include <algorithm>
#include <set>

namespace ticketgate::sim {
namespace {

bool tells_length(const Ask& ask) {
    return ask.fate.form == Fate::Form::length || bodiless(ask);
}

// END_REQUEST reports success, and nothing else failed.
bool says_overloaded(const Story& s) {
    const Fate& fate = s.ask.fate;
    return s.speech != Speech::http && fate.kind == Fate::Kind::overloaded && !fate.closes_untold &&
           s.sent == 1 && s.ended != 0 && s.excuse == "its backend fails";
}

}  // namespace

char Judge::queue_of(const Ask& ask) {
    if (ask.route == "/free" || (ask.method == "HEAD" && ask.route == "/a")) return 0;
    return ask.route == "/c" ? 'c' : 'a';
}

bool Judge::queued(const Ask& ask) {
    return queue_of(ask) != 0;
}

Judge::Judge(const Plan& plan, Trace& trace) : plan_(plan), trace_(trace) {
    const auto opens = [](const QueuePlan& queue) {
        return queue.on_hold_timeout == OnHoldTimeout::release && queue.hold_timeout < never;
    };
    a_.strict = !opens(plan.a);
    c_.strict = !opens(plan.c);
    a_.in_order_of_arrival = plan.a.limits.order == queue::Order::arrival;
    c_.in_order_of_arrival = plan.c.limits.order == queue::Order::arrival;
    if (plan.inside_by_reload) inside_known_ = not_yet;
    for (const Act& act : plan.acts)
        if (act.kind == Act::Kind::reload) c_.strict = false;
    for (const ClientPlan& client : plan.clients) {
        of_client_.emplace_back();
        for (const Ask& ask : client.asks) {
            Story story;
            story.ask = ask;
            story.ask.id = stories_.size() + 1;
            story.client = of_client_.size() - 1;
            story.caller = client.of;
            story.names_caller = client.names_caller;
            if (client.of != 0 && client.awaited) ++stories_.at(client.of - 1).awaits;
            of_client_.back().push_back(story.ask.id);
            stories_.push_back(std::move(story));
        }
    }
}

void Judge::fail(const std::string& what) {
    if (!failed()) failure_ = what;
    trace_.note('J', 0, 0, [&] { return "FAILURE " + what; });
}

// ── the client's side ──

void Judge::head_sent(std::uint64_t id) {
    story(id).head_sent = ++moment;
    story(id).head_sent_at = clock.now;
}

void Judge::all_sent(std::uint64_t id) {
    story(id).all_sent = ++moment;
}

void Judge::read_by_proxy(std::size_t client, std::uint64_t total) {
    ++moment;
    for (const auto id : of_client_[client]) {
        Story& s = story(id);
        if (s.read == 0 && s.all_sent != 0 && s.end_offset <= total) {
            s.read = moment;
            s.read_at = clock.now;
        }
    }
}

void Judge::leaves(std::size_t client, Leave::Way way) {
    ++moment;
    for (const auto id : of_client_[client])
        if (story(id).all_sent == 0) story(id).excuse = "its client stopped sending";
    if (way == Leave::Way::half && plan_.half_close_stays) return;  // it still waits for answers
    bool first = true;  // a request behind another one of its client may have no ticket yet
    for (const auto id : of_client_[client]) {
        Story& s = story(id);
        if (s.left != 0 || s.answers != 0) continue;
        s.left = moment;
        if (way == Leave::Way::fin) s.hung_up = moment;
        s.in_line = first && certainly_in_line(s, way);
        first = false;
    }
}

// Only if the wait certainly began with the head and nothing else took time. A call that has its
// 202 counts as one whose caller has left.
bool Judge::waited_too_long(const Story& s) const {
    return s.ask.body == Ask::Body::none && s.ask.id == of_client_[s.client].front() &&
           s.sent == 1 && s.excuse.empty() && !s.accepted && plan_.connects_late == 0 &&
           plan_.wait_timeout < never && clock.now > s.read_at + plan_.wait_timeout + 100ms;
}

// Another request had the only slot.
bool Judge::certainly_in_line(const Story& s, Leave::Way way) {
    const char queue = queue_of(s.ask);
    if (queue == 0 || s.sent != 0 || s.caller != 0) return false;
    if (way != Leave::Way::rst && plan_.half_close_stays) return false;
    return line(queue)->strict && line(queue)->running + line(queue)->unread == 1;
}

// hold_back_timeout counts all of it until 1 MiB has come.
void Judge::lags(std::uint64_t id, Duration behind) {
    if (behind < plan_.hold_back_timeout) return;
    Story& s = story(id);
    if (s.answers == 0) s.excuse = "its client is slow";
}

void Judge::excuse_all(std::size_t client, const char* why) {
    for (const auto id : of_client_[client])
        if (story(id).answers == 0) story(id).excuse = why;
}

// A client that reads its answers slowly may send the next request too late.
void Judge::begins_to_send(std::uint64_t id, Duration quiet) {
    if (quiet >= plan_.idle_timeout) story(id).excuse = "its idle connection was closed";
}

void Judge::answered(std::uint64_t id, const Message& answer) {
    Story& s = story(id);
    ++moment;
    s.status = answer.status;
    trace_.note('J', id, static_cast<std::uint64_t>(answer.status),
                [&] { return "answered " + std::to_string(answer.status); });
    if (++s.answers != 1) return fail("request " + std::to_string(id) + " has a second answer");
    if (s.after_close) return fail("an answer behind one that told of the connection's end");
    const bool of_backend = answer.status < 300 && answer.status != 202;
    of_backend ? check_own_answer(s, answer) : check_refusal(s, answer);
    if (answer.field("connection") != "close") return;
    for (const auto later : of_client_[s.client])
        if (later > id) story(later).after_close = true;
}

void Judge::check_own_answer(Story& s, const Message& answer) {
    const auto wrong = [&](const std::string& what) {
        fail("the answer to request " + std::to_string(s.ask.id) + " " + what);
    };
    if (s.begun == 0) return wrong("came from nowhere");
    if (answer.body != (bodiless(s.ask) ? std::string() : body_of(s.ask)))
        return wrong("is not its own or not whole: '" + answer.body.substr(0, 60) + "'");
    // Over FastCGI the last byte of a known length may come long before END_REQUEST.
    const bool head_only = s.ask.method == "HEAD";
    if (s.ended == 0 && !head_only && !(s.speech != Speech::http && tells_length(s.ask)))
        return wrong("was complete before the backend's was");
    if (s.sent == 1 && !may_be_whole(s)) return wrong("is complete though the backend's never was");
}

bool Judge::may_be_whole(const Story& s) const {
    if (s.ask.fate.kind == Fate::Kind::answers) return true;
    // The head is the whole answer to a HEAD, whatever becomes of the body of the GET in its place.
    if (s.ask.method == "HEAD" && s.ask.fate.kind == Fate::Kind::dies_in_body) return true;
    return s.speech != Speech::http && s.ask.fate.kind == Fate::Kind::no_end && tells_length(s.ask);
}

void Judge::check_refusal(Story& s, const Message& answer) {
    // An id behind the words may spell one of them: one in two million has "spool".
    const std::string words = answer.body.substr(0, answer.body.find("\"request_id\""));
    const auto says = [&](const char* text) { return words.find(text) != std::string::npos; };
    const auto untrue = [&](const char* what) {
        fail("request " + std::to_string(s.ask.id) + " was refused untruly: " + what);
    };
    const bool bodiless = s.ask.method == "HEAD";  // no body gives the reason
    const bool excused = !s.excuse.empty();
    if (answer.status == 503) {
        if (bodiless) return;
        if (says("stopping") && !draining_ && !stopping_) return untrue("nobody drains");
        if (says("stopping") && s.told_unsent && !cut_) return untrue("the stop had yet to end it");
        if (says("stopping")) return came_before_drain(s) ? untrue("it was in line") : void();
        if (says("spool")) return plan_.small_spool ? void() : untrue("the spool has room");
        if (says("overloaded")) {
            const bool was = s.speech != Speech::http && s.ask.fate.kind == Fate::Kind::overloaded;
            return was ? void() : untrue("its backend has room");
        }
        if (s.sent != 0) return untrue("it had its turn");
        const Line* its = line(queue_of(s.ask));
        if (its == nullptr) return untrue("it stands in no line");
        if (says("request was released")) return may_lose_slot(s) ? void() : untrue("nobody did");
        if (says("queue is full")) {
            if (plan_.max_waiting == 1024) return untrue("full");
            // With more than one coroutine a turn, or turns within turns, a full line may have come
            // and gone unseen.
            if (plan_.resumes == 1 && plan_.interrupts == 0 && its->last_full < s.head_sent)
                return untrue("full");
            return;
        }
        if (!says("wait in the queue timed out")) return untrue("for no reason");
        if (clock.now < s.head_sent_at + plan_.wait_timeout) return untrue("its time is not up");
        return;
    }
    if (answer.status == 502 || answer.status == 504) {
        if (bodiless && stopping_) return;
        if (says("server stopped")) return stopping_ ? void() : untrue("nobody stops it");
        if (answer.status == 502 && says_overloaded(s)) return untrue("it says it is overloaded");
        if (!excused && last_connect_failure_ < s.head_sent) untrue("its backend is well");
        return;
    }
    if (answer.status == 508 && s.caller != 0 && plan_.inside_calls == config::InsideCalls::refuse)
        return;
    if (answer.status == 202 && s.caller != 0 &&
        plan_.inside_calls == config::InsideCalls::accept) {
        s.accepted = true;
        return;
    }
    if (answer.status == 408 && excused) return;
    if (answer.status == 500 && short_of_memory_) return;
    untrue(("status " + std::to_string(answer.status)).c_str());
}

// By an operator, or by hold_timeout before it was sent.
bool Judge::may_lose_slot(const Story& s) const {
    const QueuePlan& queue = queue_of(s.ask) == 'a' ? plan_.a : plan_.c;
    return s.released || queue.on_hold_timeout == OnHoldTimeout::release ||
           (s.caller != 0 && may_lose_slot(stories_.at(s.caller - 1)));
}

// A drain lets what came before it go on to its end. One behind another of its client may not have
// been looked at before.
bool Judge::came_before_drain(const Story& s) const {
    return !stopping_ && s.read != 0 && s.read <= drain_began_ &&
           s.ask.id == of_client_[s.client].front();
}

void Judge::cut(std::uint64_t id, bool pipelined) {
    Story& s = story(id);
    trace_.note('J', id, 1, [&] { return std::string("its answer is cut"); });
    bool may_close = plan_.max_requests != config::unlimited || draining_;
    for (const auto later : of_client_[s.client])
        may_close |= later > id && !story(later).excuse.empty();  // a reset cuts the later one
    may_close &= pipelined;
    if (s.excuse.empty() && !stopping_ && !short_of_memory_ && !plan_.small_spool && s.left == 0 &&
        !may_close)
        fail("the answer to request " + std::to_string(id) + " was cut for no reason");
    s.excuse = "cut";
}

void Judge::upload_cut(std::uint64_t id) {
    const Story& s = story(id);
    const bool troubled = stopping_ || short_of_memory_ || time_passed_ || plan_.small_spool;
    if (s.excuse.empty() && !troubled && s.left == 0)
        fail("the upload of request " + std::to_string(id) + " was cut behind its answer");
}

void Judge::cut_unseen(std::uint64_t id) {
    Story& s = story(id);
    if (!s.excuse.empty() || plan_.small_spool) s.excuse = "cut";
}

// ── the backend's side ──

// CONTRACT 10: a script that runs may have one of its calls run beside it. Where the caller is
// over, the call counts as one of the request that called that.
std::uint32_t Judge::justified() const {
    std::set<std::uint64_t> callers;
    const bool any = plan_.inside_calls == config::InsideCalls::pass_any;
    if (!any && plan_.inside_calls != config::InsideCalls::pass) return 0;
    for (const Story& s : stories_) {
        if (!s.runs || (!any && !s.names_caller)) continue;
        std::uint64_t caller = s.caller;
        while (caller != 0 && !stories_[caller - 1].runs) caller = stories_[caller - 1].caller;
        if (caller != 0) callers.insert(caller);
    }
    return static_cast<std::uint32_t>(callers.size());
}

void Judge::occupied(char queue, std::uint64_t id) {
    Line* its = line(queue);
    if (id != 0) story(id).runs = queue != 0;
    if (its == nullptr) return;
    ++moment;
    ++its->running;
    const std::uint32_t within = justified();
    if (its->running > its->allowed + its->failed_open + within &&
        its->running > its->allowed + count_failed_open(queue) + within)
        fail(std::string("queue ") + queue + ": " + std::to_string(its->running) +
             " run at the backend, " + std::to_string(its->allowed) + " may");
}

void Judge::freed(char queue, std::uint64_t id) {
    ++moment;
    if (id != 0) story(id).runs = false;
    if (Line* its = line(queue)) --its->running;
}

void Judge::unread(char queue, int by) {
    if (Line* its = line(queue)) its->unread += static_cast<std::uint32_t>(by);
}

void Judge::sent(std::uint64_t id, char queue, Speech speech) {
    Story& s = story(id);
    ++moment;
    s.speech = speech;
    s.in_queue = queue != 0;
    if (s.began == 0) s.began = moment;
    // Whatever its method. Bytes that a closed connection lost are not seen here.
    if (++s.sent > 1) fail("request " + std::to_string(id) + " reached the backend twice");
    if (s.release_known) fail("request " + std::to_string(id) + " was sent without its slot");
    if (s.told_unsent) fail("request " + std::to_string(id) + " was sent, and told as unsent");
    Line* its = line(queue);
    if (its != nullptr) its->order.push_back(id);
    if (s.left != 0 && s.in_line) fail("a ghost: request " + std::to_string(id) + " left in line");
    if (s.head_sent == 0)
        fail("request " + std::to_string(id) + " began before its head was whole");
    if (its != nullptr && s.read == 0)
        fail("request " + std::to_string(id) + " had its turn before its body was whole");
    if (its != nullptr && waited_too_long(s)) fail("a turn came after wait_timeout");
    if (s.after_close) fail("a request behind an answer that told of the connection's end");
    check_in_force(s, queue);
}

// A drain and a reload count for each request whose head comes when all loops know of them.
void Judge::check_in_force(const Story& s, char queue) {
    const std::string request = "request " + std::to_string(s.ask.id);
    if (s.head_sent > drained_) fail(request + " came after the drain and was forwarded");
    if (s.ask.route == "/c" && s.head_sent > reloaded_ && (queue == 'c') != c_exists_)
        fail(request + " went where the old config leads");
}

void Judge::arrived(std::uint64_t id, const Incoming& request) {
    const Ask& ask = story(id).ask;
    const std::string body(ask.size, ask.body == Ask::Body::chunked ? 'c' : 'b');
    // CONTRACT 2.12: only the end of a body shows the end of the script.
    const Story& its = story(id);
    const bool as_get = ask.method == "HEAD" && its.in_queue && its.speech == Speech::http;
    if (request.method != (as_get ? "GET" : ask.method) || request.body != body)
        fail("request " + std::to_string(id) + " is another one at the backend");
}

void Judge::begins(std::uint64_t id) {
    ++story(id).begun;
}

void Judge::ends(std::uint64_t id) {
    story(id).ended = ++moment;
}

void Judge::time_passes() {
    time_passed_ = true;
    for (std::size_t i = 0; i < of_client_.size(); ++i) excuse_all(i, "time passed");
}

void Judge::memory_runs_short() {
    short_of_memory_ = true;
    for (std::size_t i = 0; i < of_client_.size(); ++i) excuse_all(i, "memory ran short");
}

void Judge::backend_goes() {
    for (Story& s : stories_)
        if (s.head_sent != 0 && s.answers == 0) s.excuse = "its backend went away";
}

// ── the operator's side ──

void Judge::limit(char queue, queue::Limits limits) {
    Line& its = *line(queue);
    its.limit = limits.max_in_flight;
    its.allowed = std::max(its.allowed, limits.max_in_flight);
    if (limits.max_in_flight != 1) its.strict = false;
}

void Judge::releases(char queue, std::uint64_t id, Release release, std::uint64_t violations) {
    story(id).released = release != Release::no_such;
    if (release == Release::no_such) return fail("a slot that is held cannot be released");
    if (release == Release::not_sent) return tells_unsent(id);
    if (release != Release::failed_open) return;
    line(queue)->strict = false;
    line(queue)->given_away += violations;
}

// Not a moment earlier, so it allows nobody to run beside another. The queue c may be removed, and
// its figures with it.
void Judge::frees(char queue, std::uint64_t id, Release release, std::uint64_t violations) {
    story(id).released = true;
    if (release != Release::failed_open) return fail("a request that ran holds a slot unbegun");
    const bool counts = queue == 'a';
    if (counts) ++line(queue)->freed;
    line(queue)->given_away += violations - (counts ? 1 : 0);
    if (violations > 1) line(queue)->strict = false;  // calls within its hold run on
}

void Judge::check_failed_open(char queue, const QueuePlan& plan) {
    const bool may = plan.on_hold_timeout == OnHoldTimeout::release && plan.hold_timeout != never;
    if (!may && count_failed_open(queue) > line(queue)->given_away)
        fail(std::string("queue ") + queue + " failed open though it keeps its slots");
}

}  // namespace ticketgate::sim
