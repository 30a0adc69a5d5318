#include "replica/line.hpp"

#include <algorithm>
#include <utility>

namespace ticketgate::replica {

using cluster::Keeper;

namespace {

// The same one as before, unless the record names another.
std::shared_ptr<const LineKeeper> shared(const std::shared_ptr<const LineKeeper>& before,
                                         const cluster::Instance& keeper, cluster::Epoch epoch,
                                         std::uint64_t idle_version = 0) {
    if (before && before->epoch == epoch && before->address == keeper.address &&
        before->idle_version == idle_version)
        return before;
    return std::make_shared<const LineKeeper>(
        LineKeeper{keeper.address, epoch, keeper.name, idle_version});
}

}  // namespace

Line::Line(std::string queue, const cluster::Instance& self, const Keeper::Settings& settings,
           Wants wants)
    : queue_(std::move(queue)), keeper_(self, settings), wants_(std::move(wants)) {}

void Line::missed() {
    if (!told_missed_.exchange(true)) wants_.drive();
}

void Line::doubted() {
    if (!told_doubt_.exchange(true)) wants_.look();
}

// The answer is known when the gate was told and its facts are read, so a first question gets none.
bool Line::give_word(std::string_view instance, std::uint64_t term, std::uint64_t by) {
    if (instance != keeper_.self().id) return false;
    {
        const std::lock_guard lock(lock_);
        if (term <= over_) return true;
        question_ = {term, by};
    }
    wants_.drive();
    return false;
}

void Line::answer() {
    std::optional<Question> asked;
    {
        const std::lock_guard lock(lock_);
        asked = question_;
    }
    if (!asked || !keeper_.asked(asked->term, asked->by)) return;
    const std::lock_guard lock(lock_);
    over_ = std::max(over_, asked->term);
    question_.reset();
}

// The gate asks the permit under its lock, so what it grants behind this call it grants with it.
void Line::tell_gate(BootTime sure_until) {
    sure_until = std::min(sure_until, used_until_);
    const cluster::Epoch term = keeper_.epoch();
    if (gate_ && term != 0 && term != term_) {
        gate_->start_term(cluster::numbers_before(term));
        term_ = term;
    }
    const Duration::rep until = sure_until.time_since_epoch().count();
    sure_until_.store(until);
    until_.store(keeper_.may_grant() ? until : 0);
    publish();
    // One that is deposed by a question may not see, without the store, where the line is now.
    const bool follows = keeper_.role() == cluster::Role::follower;
    const bool deposed = std::exchange(kept_, !follows) && follows;
    const bool elsewhere = follows && keeper_.where() == cluster::Where::peer;
    if (gate_ && (deposed || elsewhere)) gate_->move_away();
    if (gate_ && deposed && gate_->end_pause()) ++counts_.ended_pauses;
}

void Line::publish() {
    const cluster::Where where = keeper_.where();
    std::shared_ptr<const LineKeeper> at, prior;
    if (where != cluster::Where::nowhere) {
        const cluster::Line& line = *keeper_.line();
        const bool idle = line.state == cluster::LineState::idle;
        if (where == cluster::Where::peer)
            at = shared(at_, line.keeper, line.epoch, idle ? keeper_.version() : 0);
        if (line.prior && line.prior->keeper.id != keeper_.self().id)
            prior = shared(prior_, line.prior->keeper, line.prior->epoch);
    }
    const std::lock_guard lock(lock_);
    where_ = where;
    epoch_ = keeper_.epoch();
    lost_ = at && !keeper_.keeper_is_listed();
    closes_ = keeper_.role() == cluster::Role::open && !keeper_.may_grant();
    at_ = std::move(at);
    prior_ = std::move(prior);
}

// When the store was away for so long that a replica is not sure any more, it grants nothing, and
// no other can be found: newcomers need not wait. A keeper that is known is asked all the same.
// While the store takes no writes, a line that may not grant now needs one first, here and at any
// replica. So does one whose keeper is lost, or drains.
Whereabouts Line::where() const {
    using enum Whereabouts::Where;
    const std::lock_guard lock(lock_);
    const auto at = [this](Whereabouts::Where where, std::shared_ptr<const LineKeeper> keeper = {},
                           std::shared_ptr<const LineKeeper> prior = {}) {
        return Whereabouts{where, std::move(keeper), std::move(prior), replaced_idle_};
    };
    const bool needs_keeper = where_ == cluster::Where::nowhere || lost_;
    if (store_full_ && needs_keeper) return at(stands);
    if (where_ == cluster::Where::peer) return at(peer, at_, prior_);
    const bool sure = boot_now().time_since_epoch().count() < sure_until_.load();
    if (store_away_ && !sure) return at(away);
    if (store_full_ && until_.load() == 0 && !closes_) return at(stands);
    if (where_ != cluster::Where::here) return at(nowhere);
    Whereabouts own = at(here, nullptr, prior_);
    own.epoch = epoch_;
    return own;
}

Keeper::Facts Line::facts() const {
    if (!gate_) return {};
    const LocalGate::Facts seen = gate_->look();
    const std::uint64_t before = cluster::numbers_before(term_);
    return {seen.waits, seen.holds, seen.token > before ? seen.token - before : 0};
}

void Line::note(cluster::Role before) {
    using enum cluster::Role;
    const cluster::Role now = keeper_.role();
    if (before == follower && now != follower) ++counts_.takeovers;
    if (before != settling && now == settling) settling_since_ = monotonic_now();
}

// An earlier term that ended only by hold_timeout, or by the word of an operator, may still have a
// request at the backend.
void Line::note_settled() {
    ++counts_.settled[static_cast<std::size_t>(keeper_.settled())];
    const bool proven = keeper_.settled() == cluster::Settled::word ||
                        keeper_.settled() == cluster::Settled::workers;
    if (!proven && gate_) gate_->count_violation();
}

// Whoever sees the record name another keeper asks the one before: the new keeper needs no word of
// a line that was idle, or that waits for an earlier term, and may not reach that one.
void Line::note_deposed(const std::optional<cluster::Line>& before) {
    const auto& now = keeper_.line();
    if (!before || !now || before->keeper.id == now->keeper.id) return;
    const bool knows = before->state == cluster::LineState::free ||
                       before->state == cluster::LineState::leaving ||
                       before->keeper.id == keeper_.self().id;
    if (knows) return deposed_.reset();
    deposed_ = cluster::Prior{before->epoch, before->keeper, false};
    ask_deposed_ = monotonic_now();
    ask_deposed_until_ = ask_deposed_ + keeper_.settings().lease;
}

// The write has replaced this version, so no other record came between the two. The keeper that the
// replaced record names has not written `open` since, and its next write is refused.
void Line::note_replaced(const std::optional<cluster::Line>& before, std::uint64_t version) {
    const auto& now = keeper_.line();
    const bool replaced = before && now && before->state == cluster::LineState::idle &&
                          before->keeper.id != now->keeper.id && before->epoch < now->epoch;
    if (!replaced) return;
    const std::lock_guard lock(lock_);
    replaced_idle_ = version;
}

std::optional<cluster::Prior> Line::take_deposed(Time now) {
    if (now >= ask_deposed_until_) deposed_.reset();
    if (!deposed_ || now < ask_deposed_) return std::nullopt;
    ask_deposed_ = now + keeper_.settings().ask_every;
    return deposed_;
}

// A look that began before the last write ended may show the record as it was before.
void Line::saw(const cluster::Sight& sight, std::uint64_t look, BootTime sure_until) {
    told_doubt_.store(false);
    if (look <= looks_at_write_) return;
    const cluster::Role before = keeper_.role();
    const auto line_before = keeper_.line();
    if (!keeper_.saw(sight, monotonic_now())) return;
    note(before);
    note_deposed(line_before);
    // The write whose answer was lost has happened, or may have: another replica has gone on since,
    // and nothing shows whether from there. A violation that may be one counts.
    const cluster::Epoch prior = std::exchange(settling_, 0);
    const bool still_waits = sight.line && sight.line->prior && sight.line->prior->epoch == prior;
    if (prior != 0 && !still_waits) note_settled();
    used_until_ = sure_until;
    tell_gate(sure_until);
}

void Line::written(cluster::Written how, std::uint64_t version, std::uint64_t looks,
                   BootTime sure_until) {
    looks_at_write_ = looks;
    const cluster::Role before = keeper_.role();
    const auto line_before = keeper_.line();
    const std::uint64_t version_before = keeper_.version();
    keeper_.written(how, version, monotonic_now());
    if (how == cluster::Written::done) note_replaced(line_before, version_before);
    note(before);
    note_deposed(line_before);
    if (how == cluster::Written::done && settling_ != 0) note_settled();
    if (how == cluster::Written::done || how == cluster::Written::refused) settling_ = 0;
    tell_gate(sure_until);
}

std::optional<cluster::Prior> Line::take_lost_term() {
    const auto stopped = keeper_.prior_stopped();
    if (!keeper_.asks_workers()) told_lost_ = 0;  // the question ends as well
    if (!keeper_.asks_workers() || !stopped || monotonic_now() < *stopped) return std::nullopt;
    const cluster::Prior& prior = *keeper_.line()->prior;
    if (std::exchange(told_lost_, prior.epoch) == prior.epoch) return std::nullopt;
    return prior;
}

Keeper::Next Line::drive(BootTime sure_until) {
    told_missed_.store(false);
    answer();
    Keeper::Next next;
    do {
        tell_gate(sure_until);
        keeper_.set(facts(), monotonic_now());
        next = keeper_.next(monotonic_now(), wall_now(),
                            boot_now() < std::min(sure_until, used_until_));
        tell_gate(sure_until);
    } while (next.again);
    const bool settles = next.write && next.write->line && !next.write->line->prior;
    if (settles && keeper_.role() == cluster::Role::settling)
        settling_ = keeper_.line()->prior->epoch;
    answer();
    tell_gate(sure_until);
    return next;
}

}  // namespace ticketgate::replica
