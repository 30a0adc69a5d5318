// Knows the plan of every request and its events on both sides, and reports a broken promise of the
// contract. It does not rely on the proxy's counters or log alone. The first failure is kept and
// ends the world.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulation/answer.hpp"
#include "simulation/message.hpp"
#include "simulation/plan.hpp"
#include "simulation/trace.hpp"

namespace ticketgate::sim {

/// One request's story. Moments are numbers of `Judge::moment`; 0: not yet.
struct Story {
    Ask ask;
    std::size_t client = 0;
    std::uint64_t caller = 0;  ///< the request whose script makes this call; 0: none
    bool names_caller = false;
    int awaits = 0;                             ///< calls that its own script waits for
    std::string request_id;                     ///< as its script sees it
    bool runs = false;                          ///< it occupies the backend now
    std::uint64_t head_sent = 0, all_sent = 0;  ///< by the client, to its last byte
    Time head_sent_at{};
    std::uint64_t end_offset = 0;  ///< of its last byte, on the client's connection
    std::uint64_t read = 0;        ///< the proxy has read all of it
    Time read_at{};
    std::uint64_t left = 0;        ///< its client left
    std::uint64_t hung_up = 0;     ///< and closed its connection
    bool in_line = false;          ///< it was certainly not granted then: others had every slot
    int sent = 0;                  ///< to the backend: connections with its bytes
    Speech speech = Speech::http;  ///< of that backend
    bool in_queue = false;         ///< it went there from a queue
    std::uint64_t began = 0, ended = 0;
    int begun = 0;       ///< times the backend began to run it
    std::string excuse;  ///< why it may have no good answer
    int answers = 0;
    int status = 0;
    bool released = false;       ///< an operator gave its slot away
    bool accepted = false;       // a call from inside that got its 202
    bool release_known = false;  ///< and every loop has had the time to hear of it
    bool told_unsent = false;    ///< an operator was told that the backend gets nothing of it
    bool after_close = false;    ///< an answer before it told that the connection closes
    std::uint64_t number = 0;    ///< from the access log
};

/// A queue as it is seen from outside.
struct Line {
    std::uint32_t limit = 1;    ///< as configured last
    std::uint32_t allowed = 1;  ///< while holders above a lowered limit are left
    std::uint32_t running = 0;  ///< at the backend
    std::uint32_t unread = 0;   ///< done there, and the proxy has not read it to the end
    std::uint64_t failed_open = 0;
    std::uint64_t given_away = 0;  ///< of these, by the operator
    std::uint64_t freed = 0;       ///< of these, when the backend had ended
    std::uint64_t last_full = 0;   ///< moment at which a newcomer had to be refused
    bool strict = true;            ///< max_in_flight was always 1, and it never fails open
    bool in_order_of_arrival = false;
    std::vector<std::uint64_t> order;  ///< ids in the order in which they reached the backend
};

class Judge {
 public:
    Judge(const Plan& plan, Trace& trace);

    bool failed() const { return !failure_.empty(); }
    const std::string& failure() const { return failure_; }
    void fail(const std::string& what);
    Story& story(std::uint64_t id) { return stories_.at(id - 1); }
    std::vector<Story>& stories() { return stories_; }
    Line* line(char queue) { return queue == 'a' ? &a_ : queue == 'c' ? &c_ : nullptr; }
    /// Tells whether this request may be queued at all.
    static bool queued(const Ask& ask);
    static char queue_of(const Ask& ask);

    // ── the client's side ──
    void head_sent(std::uint64_t id);
    void all_sent(std::uint64_t id);
    void read_by_proxy(std::size_t client, std::uint64_t total);
    void leaves(std::size_t client, Leave::Way way);
    void answered(std::uint64_t id, const Message& answer);
    /// `pipelined`: more was sent behind it. A connection that the proxy closes may then be reset
    /// by what is still on its way (RFC 9112 9.6), and the answer be lost; such a client must ask
    /// again.
    void cut(std::uint64_t id, bool pipelined);
    /// By a reset, which takes along what was not received: perhaps all of it.
    /// The backend answered, and does not get the rest of the request.
    void upload_cut(std::uint64_t id);
    void cut_unseen(std::uint64_t id);
    /// Its client has let arrived bytes of the answer wait, for so long in all.
    void lags(std::uint64_t id, Duration behind);
    void excuse_all(std::size_t client, const char* why);
    /// Its client sends the first bytes of it. The proxy had closed the connection before, which it
    /// had neither read nor written for `quiet`; 0: it is open.
    void begins_to_send(std::uint64_t id, Duration quiet);

    // ── the backend's side ──
    /// `id`: 0 if its first bytes do not tell.
    void occupied(char queue, std::uint64_t id);
    void freed(char queue, std::uint64_t id);
    void unread(char queue, int by);
    void sent(std::uint64_t id, char queue, Speech speech);
    void arrived(std::uint64_t id, const Incoming& request);  ///< at the backend, whole
    void begins(std::uint64_t id);
    void ends(std::uint64_t id);
    /// More of it than time-outs allow, with nobody acting.
    void time_passes();
    void memory_runs_short();  ///< any request may be the one that lacks it
    void backend_goes();       ///< all of it, from outside: what is under way may fail
    void connect_failed() { last_connect_failure_ = ++moment; }

    // ── the operator's side ──
    void limit(char queue, queue::Limits limits);
    /// The queue c may be removed and added again, with new numbers.
    void reloads(bool c_exists) {
        c_.strict = false;
        c_exists_ = c_exists;
        reloaded_ = not_yet;
        was_reloaded_ = true;
    }
    /// An operator released the slot of this request.
    /// The operator, of a request whose end only the backend knows.
    void frees(char queue, std::uint64_t id, Release release, std::uint64_t violations);
    /// `violations`: that the queue counted for it, which includes the calls within its hold.
    void releases(char queue, std::uint64_t id, Release release, std::uint64_t violations);
    void drains() {
        if (!draining_) drain_began_ = moment;
        draining_ = true;
    }
    /// No loop has anything to do: what the operator did is in force on each of them.
    void quiet() {
        if (draining_ && drained_ == not_yet) drained_ = moment;
        if (reloaded_ == not_yet) reloaded_ = moment;
        if (was_reloaded_ && inside_known_ == not_yet) inside_known_ = moment;
        for (Story& s : stories_) s.release_known = s.released;
    }
    /// A stop is told of; the loops know of it when it `cuts`.
    void stops() { stopping_ = true; }
    void cuts() { draining_ = cut_ = true; }
    void tells_unsent(std::uint64_t id) { story(id).told_unsent = true; }

    // ── the end ──
    void log_line(std::string_view line);
    void close();

    std::uint64_t moment = 1;
    bool stopping() const { return stopping_; }
    /// How often a queue says that it failed open; asked only when that matters.
    std::function<std::uint64_t(char queue)> failed_open = [](char) { return 0; };
    std::uint64_t count_failed_open(char queue) {
        return line(queue)->failed_open = failed_open(queue) - line(queue)->freed;
    }
    /// At the end: checks that no slot was released unless an operator or the config asked for it.
    void check_failed_open(char queue, const QueuePlan& plan);

 private:
    bool may_be_whole(const Story& story) const;
    bool may_lose_slot(const Story& story) const;
    bool came_before_drain(const Story&) const;
    std::uint32_t justified() const;
    void check_own_answer(Story& story, const Message& answer);
    void check_refusal(Story& story, const Message& answer);
    void check_order(const Line& line);
    void check_in_force(const Story& story, char queue);
    void check_story(const Story& story);
    bool waited_too_long(const Story& story) const;
    bool certainly_in_line(const Story& story, Leave::Way way);
    bool may_lack_answer(const Story& story) const;

    const Plan& plan_;
    Trace& trace_;
    std::string failure_;
    std::vector<Story> stories_;
    std::vector<std::vector<std::uint64_t>> of_client_;
    Line a_, c_;
    std::uint64_t last_connect_failure_ = 0;
    bool draining_ = false, stopping_ = false, cut_ = false, short_of_memory_ = false,
         time_passed_ = false;
    // Moments from which on every loop drains, and has the present config.
    static constexpr std::uint64_t not_yet = ~std::uint64_t{0};
    std::uint64_t drained_ = not_yet, reloaded_ = 0;
    std::uint64_t inside_known_ = 0;  // a call whose head came later counts as one
    bool was_reloaded_ = false;
    std::uint64_t drain_began_ = 0;
    bool c_exists_ = true;
};

}  // namespace ticketgate::sim
