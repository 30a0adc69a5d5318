// Compares the queue with a slow model that is obviously right: one vector in order of the line,
// searched for each answer. Both are compared after each random operation.
#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "line.hpp"

namespace ticketgate::queue {
namespace {

struct Entered {
    std::uint64_t number = 0;
    State state = State::idle;
    bool ready = false, returned = false;
    Time taken{}, deadline{}, granted{};
    std::uint64_t grants_before = 0;  // order of grant
    std::uint32_t position = 0;
    std::uint64_t blocked_by = 0;
};

class Model {
 public:
    explicit Model(Limits limits) : limits_(limits) {}

    Entered* take(const Entry& entry, Time now) {
        const auto free =
            std::max<std::int64_t>(0, std::int64_t(limits_.max_in_flight) - holders());
        const bool at_once = free > 0 && entry.ready && now < allowed_ &&
                             (limits_.order == Order::ready || count(State::waiting) == 0);
        const bool full = entry.max_waiting != unlimited && entry.place == 0 && !at_once &&
                          count(State::waiting) >= std::int64_t(entry.max_waiting) + free;
        auto made = std::make_unique<Entered>();
        Entered* const one = made.get();
        const Entered* oldest = oldest_holder();
        made->blocked_by = oldest != nullptr ? oldest->number : 0;
        made->position = static_cast<std::uint32_t>(count(State::waiting));
        made->state = full ? State::full : State::waiting;
        if (!full) {
            made->number = entry.place != 0 ? entry.place : ++last_number;
            made->returned = entry.place != 0;
            made->ready = entry.ready;
            made->taken = now;
            made->deadline = entry.deadline;
        }
        line_up(std::move(made));
        grant(now);
        return one;
    }
    void ready(Entered& e, Time now) {
        if (e.state == State::waiting) e.ready = true;
        grant(now);
    }
    void settle(Entered& e, Time now) {
        const bool uploads = !e.ready && limits_.order == Order::ready;
        if (e.state == State::waiting && e.deadline <= now && !uploads) e.state = State::expired;
        grant(now);
    }
    void cancel(Entered& e, Time now) {
        if (e.state == State::waiting) e.state = State::cancelled;
        grant(now);
    }
    void begin(Entered& e) {
        if (e.state == State::granted) e.state = State::running;
    }
    void drop(Entered& e, Time now) {
        if (e.state == State::waiting) e.state = State::cancelled;
        if (e.state == State::granted) e.state = State::left;
        grant(now);
    }
    void leave(Entered& e, Time now) {
        if (e.state == State::running) e.state = State::left;
        grant(now);
    }
    void release(Entered& e, Time now) {
        if (e.state == State::waiting || e.state == State::granted) e.state = State::revoked;
        if (e.state == State::running) e.state = State::released;
        grant(now);
    }
    void resize(Limits limits, Time now) {
        limits_ = limits;
        grant(now);
    }

    void allow(Time until, Time now) {
        allowed_ = until;
        grant(now);
    }
    void raise(std::uint64_t last) {
        last_number = std::max(last_number, last);
        for (const auto& e : all_)
            if (e->state == State::waiting && !e->returned) e->number = ++last_number;
    }

    std::int64_t count(State state) const {
        return std::count_if(all_.begin(), all_.end(),
                             [&](const auto& e) { return e->state == state; });
    }
    std::int64_t holders() const { return count(State::granted) + count(State::running); }
    const Entered* oldest_holder() const {
        const Entered* oldest = nullptr;
        for (const auto& e : all_)
            if ((e->state == State::granted || e->state == State::running) &&
                (oldest == nullptr || e->grants_before < oldest->grants_before))
                oldest = e.get();
        return oldest;
    }
    Numbers waiting() const {
        Numbers numbers;
        for (const auto& e : all_)
            if (e->state == State::waiting) numbers.push_back(e->number);
        return numbers;
    }
    /// Tells whether a slot is free and a ticket may take it.
    bool idles() const {
        const Entered* const first = next();
        return first != nullptr && first->taken < allowed_ && holders() < limits_.max_in_flight;
    }
    const Limits& limits() const { return limits_; }
    void forget(const Entered* e) {
        std::erase_if(all_, [&](const auto& one) { return one.get() == e; });
    }

    std::uint64_t last_number = 0;
    Numbers granted;  // by the last operation

 private:
    void line_up(std::unique_ptr<Entered> made) {
        auto at = all_.end();
        if (made->returned)
            at = std::ranges::find_if(all_, [&](const auto& e) {
                return e->state == State::waiting && (!e->returned || e->number > made->number);
            });
        if (made->returned)
            made->position = static_cast<std::uint32_t>(std::count_if(
                all_.begin(), at, [](const auto& e) { return e->state == State::waiting; }));
        all_.insert(at, std::move(made));
    }
    Entered* next() const {
        for (const auto& e : all_) {
            if (e->state != State::waiting) continue;
            if (e->ready) return e.get();
            if (limits_.order == Order::arrival) return nullptr;
        }
        return nullptr;
    }
    void grant(Time now) {
        while (idles()) {
            Entered& e = *next();
            e.state = State::granted;
            e.granted = now;
            e.grants_before = grants_++;
            granted.push_back(e.number);
        }
    }

    Limits limits_;
    Time allowed_ = all_tickets;
    std::uint64_t grants_ = 0;
    std::vector<std::unique_ptr<Entered>> all_;
};

struct Both {
    std::unique_ptr<Ticket> ticket;
    Entered* model;
};

class Duel {
 public:
    explicit Duel(std::uint32_t seed)
        : random_(seed), model_(first_limits(seed)), queue_(model_.limits()) {}
    ~Duel() {
        granted_.clear();
        while (!pairs_.empty()) end(pairs_.size() - 1);
    }

    /// Does one random operation. Returns the difference between queue and model; empty: none.
    std::string step() {
        granted_.clear();
        model_.granted.clear();
        now_ += std::chrono::milliseconds(pick(20));
        const std::int64_t before = queue_.in_flight();
        act();
        std::string wrong = compare(before);
        if (!wrong.empty()) return wrong + " after " + last_;
        granted_.clear();  // forget_decided() may destroy these tickets
        forget_decided();
        return {};
    }

 private:
    static Limits first_limits(std::uint32_t seed) {
        return {.max_in_flight = seed % 3 == 0 ? 1 : 1 + seed % 5,
                .order = seed % 2 == 0 ? Order::ready : Order::arrival};
    }
    std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_() % below);
    }

    void act() {
        const std::uint32_t kind = pick(100);
        if (pairs_.empty() || kind < 35) return take();
        Both& one = pairs_[pick(static_cast<std::uint32_t>(pairs_.size()))];
        Ticket& ticket = *one.ticket;
        if (kind < 50) {
            last_ = "ready";
            queue_.ready(ticket, now_, granted_);
            model_.ready(*one.model, now_);
        } else if (kind < 62) {
            last_ = "settle";
            queue_.settle(ticket, now_, granted_);
            model_.settle(*one.model, now_);
        } else if (kind < 70) {
            last_ = "cancel";
            queue_.cancel(ticket, now_, granted_);
            model_.cancel(*one.model, now_);
        } else if (kind < 73) {
            last_ = "release";
            (void)queue_.release(ticket, now_, granted_);
            model_.release(*one.model, now_);
        } else if (kind < 76) {
            last_ = "drop";
            if (ticket.state == State::running || ticket.state == State::released) return;
            (void)queue_.drop(ticket, now_, granted_);
            model_.drop(*one.model, now_);
        } else if (kind < 78) {
            resize();
        } else if (kind < 81) {
            allow();
        } else {
            leave_some();
        }
    }

    void take() {
        last_ = "take";
        constexpr std::uint32_t rooms[] = {0, 1, 2, 5, 20, unlimited, unlimited};
        const Time deadlines[] = {Time::max(), now_, now_ + 50ms, now_ + 1s};
        // One in eight was in an earlier term of the line. Its number may be above those of today.
        constexpr std::uint64_t old = 1 << 20;
        const std::uint64_t place = pick(8) == 0 ? old + pick(1 << 20) : 0;
        const Entry entry{.max_waiting = rooms[pick(7)],
                          .ready = pick(3) != 0,
                          .deadline = deadlines[pick(4)],
                          .place = places_.insert(place).second ? place : 0};
        auto ticket = std::make_unique<Ticket>();
        queue_.take(*ticket, entry, now_, granted_);
        pairs_.push_back({std::move(ticket), model_.take(entry, now_)});
    }

    void resize() {
        last_ = "resize";
        const Limits limits{.max_in_flight = 1 + pick(6),
                            .order = pick(2) == 0 ? Order::ready : Order::arrival};
        queue_.resize(limits, now_, granted_);
        model_.resize(limits, now_);
    }

    // Forbidden for a third of the time, as a clustered line between two terms; the next term may
    // begin with higher numbers. Else for all, or for those taken before a time: an upgrade.
    void allow() {
        last_ = "allow";
        if (pick(2) == 0) {
            const std::uint64_t last = queue_.last_number() + pick(3);
            queue_.raise(last);
            model_.raise(last);
        }
        const Time untils[] = {no_ticket, all_tickets,
                               now_ + std::chrono::milliseconds(pick(200)) - 100ms};
        const Time until = untils[pick(3)];
        queue_.allow(until, now_, granted_);
        model_.allow(until, now_);
    }

    void leave_some() {
        last_ = "leave";
        for (Both& one : pairs_) {
            const State state = one.ticket->state;
            if ((state != State::granted && state != State::running) || pick(3) == 0) continue;
            if (state == State::granted) begin(one);
            if (pick(4) == 0) return;
            (void)queue_.leave(*one.ticket, now_, granted_);
            return model_.leave(*one.model, now_);
        }
    }

    void begin(Both& one) {
        (void)queue_.begin(*one.ticket);
        model_.begin(*one.model);
    }

    std::string compare(std::int64_t in_flight_before) const {
        for (const Both& one : pairs_) {
            const Ticket& t = *one.ticket;
            const Entered& m = *one.model;
            if (t.state != m.state) return differ("state", int(t.state), int(m.state), m.number);
            if (t.number != m.number) return differ("number", t.number, m.number, m.number);
            if (t.position != m.position)
                return differ("position", t.position, m.position, m.number);
            if (t.blocked_by != m.blocked_by)
                return differ("blocked_by", t.blocked_by, m.blocked_by, m.number);
            if (t.granted != m.granted || t.taken != m.taken)
                return differ("times", 0, 1, m.number);
        }
        Numbers granted, line;
        for (const Ticket& t : granted_) granted.push_back(t.number);
        if (granted != model_.granted) return "other grants, or another order of them";
        queue_.for_each_waiting(unlimited, [&](const Ticket& t) { line.push_back(t.number); });
        if (line != model_.waiting()) return "another line";
        return compare_sums(in_flight_before);
    }

    std::string compare_sums(std::int64_t in_flight_before) const {
        const std::int64_t in_flight = model_.holders();
        if (queue_.in_flight() != in_flight)
            return differ("in flight", queue_.in_flight(), in_flight, 0);
        if (queue_.waiting() != model_.count(State::waiting)) return "another number of waiting";
        if (queue_.last_number() != model_.last_number) return "another last number";
        if (in_flight > std::max<std::int64_t>(in_flight_before, model_.limits().max_in_flight))
            return "a grant above the limit";
        if (!granted_.empty() && in_flight > model_.limits().max_in_flight)
            return "a grant above the limit";
        if (model_.idles()) return "a free slot while somebody could have it";
        const Numbers line = model_.waiting();
        const Time first = line.empty() ? now_ : taken_of(line.front());
        if (queue_.oldest_wait(now_) != now_ - first) return "another oldest wait";
        const Entered* holder = model_.oldest_holder();
        if (queue_.oldest_hold(now_) != (holder != nullptr ? now_ - holder->granted : 0ns))
            return "another oldest hold";
        if (queue_.retry_after(now_) < 1 || queue_.retry_after(now_) > 3600)
            return "retry_after out of range";
        return {};
    }

    Time taken_of(std::uint64_t number) const {
        for (const Both& one : pairs_)
            if (one.model->number == number) return one.model->taken;
        return {};
    }

    template <class A, class B>
    static std::string differ(const char* what, A seen, B expected, std::uint64_t number) {
        std::ostringstream text;
        text << what << " of " << number << " is " << seen << ", not " << expected;
        return text.str();
    }

    // Keeps decided tickets for a while, so that operations on them are tested too.
    void forget_decided() {
        if (pairs_.size() < 40) return;
        for (std::size_t i = pairs_.size(); i-- > 0;) {
            const State state = pairs_[i].ticket->state;
            if (state != State::waiting && !holds_slot(state)) end(i);
        }
        // A line that only grows tests nothing new: shorten it.
        for (std::size_t i = pairs_.size(); pairs_.size() > 60 && i-- > 0;) end(i);
    }

    void end(std::size_t i) {
        Both& one = pairs_[i];
        Tickets ignored;
        (void)queue_.cancel(*one.ticket, now_, ignored);
        model_.cancel(*one.model, now_);
        (void)queue_.release(*one.ticket, now_, ignored);
        model_.release(*one.model, now_);
        ignored.clear();
        model_.forget(one.model);
        pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    std::mt19937 random_;
    Time now_ = start;
    Model model_;
    Queue queue_;
    Tickets granted_;
    std::vector<Both> pairs_;
    std::set<std::uint64_t> places_;  // that were given: each is of one request
    const char* last_ = "";
};

TEST(QueueModel, AgreesWithTheSlowModelAfterEveryOperation) {
    constexpr std::uint32_t seeds = 400;
    constexpr int operations = 2500;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        Duel duel(seed);
        for (int i = 0; i < operations; ++i) {
            const std::string wrong = duel.step();
            ASSERT_EQ(wrong, "") << "seed " << seed << ", operation " << i;
        }
    }
}

}  // namespace
}  // namespace ticketgate::queue
