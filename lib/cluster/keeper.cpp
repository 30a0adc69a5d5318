#include "cluster/keeper.hpp"

namespace ticketgate::cluster {

using enum LineState;

// ── what comes in ──

bool Keeper::saw(const Sight& sight, Time now) {
    if (pending_) return false;
    if (sight.version != sight_.version) grants_ = Grants::on;  // no earlier write can happen now
    if (grants_ == Grants::refused) go_on();
    sight_ = sight;
    stale_ = false;
    adopt(now);
    return true;
}

void Keeper::written(Written result, std::uint64_t version, Time now) {
    const Write write = *std::exchange(pending_, std::nullopt);
    stale_ = result != Written::done;
    if (result == Written::failed) fail(now);
    if (result == Written::unknown && grants_ == Grants::closing) grants_ = Grants::uncertain;
    if (stale_) return;
    if (!write.line) {
        sight_.word = true;
        return;
    }
    sight_.version = version;
    sight_.line = write.line;
    sight_.keeper_listed = true;
    sight_.prior_listed = write.line->prior && !write.line->prior->lost;
    grants_ = Grants::on;
    adopt(now);
}

// etcd counts its space before and behind a write: one that it answers with NOSPACE may be stored.
// Only the first write that closes a line is known to be the only one.
void Keeper::fail(Time now) {
    failed_at_ = now;
    if (grants_ == Grants::closing) grants_ = Grants::refused;
}

// The write that was refused has not happened.
void Keeper::go_on() {
    grants_ = Grants::on;
    quiet_since_.reset();  // it is tried again when the line has been quiet for the same time
}

void Keeper::set(const Facts& facts, Time now) {
    facts_ = facts;
    facts_fresh_ = true;
    if (facts.waits || facts.holds != 0)
        quiet_since_.reset();
    else if (!quiet_since_)
        quiet_since_ = now;
}

// The first question only ends the grants. Whether something runs is known when the gate has been
// told, so the next one is answered.
bool Keeper::asked(Epoch term, Epoch by) {
    if (by <= term) return false;
    if (role_ != Role::follower && term >= term_) {
        stale_ = true;
        if (role_ == Role::leaving && !is_quiet()) return false;  // it finishes its line
        follow();
        return false;
    }
    if (role_ == Role::follower) given_up_ = std::max(given_up_, term);
    return role_ != Role::follower || is_over();
}

void Keeper::over(Epoch term, Settled how) {
    if (role_ != Role::settling || sight_.line->prior->epoch != term) return;
    known_over_ = term;
    settled_ = how;
}

// ── what the record makes of this replica ──

void Keeper::follow() {
    role_ = Role::follower;
    given_up_ = std::max(given_up_, term_);
    facts_fresh_ = false;
}

// A replica that drains finishes its line while the next keeper waits for its word, unless that
// one has to count it as lost.
bool Keeper::may_finish() const {
    const Line& line = *sight_.line;
    return role_ == Role::leaving && line.state == settling && line.prior->epoch == term_ &&
           line.prior->keeper.id == self_.id && !line.prior->lost;
}

void Keeper::adopt(Time now) {
    if (!sight_.line) return follow();
    const Line& line = *sight_.line;
    if (!is_mine() || line.state == free || line.epoch <= given_up_) {
        if (!may_finish()) follow();
        return;
    }
    term_ = line.epoch;
    constexpr Role roles[] = {Role::follower, Role::idle, Role::open, Role::leaving,
                              Role::settling};
    role_ = roles[static_cast<std::size_t>(line.state)];
    vacant_since_.reset();
    if (line.state != settling || !line.prior->lost)
        lost_since_.reset();
    else if (!lost_since_)
        lost_since_ = now;
}

std::optional<Time> Keeper::prior_stopped() const {
    if (!lost_since_) return std::nullopt;
    return *lost_since_ + settings_.lease;
}

bool Keeper::asks_soon() const {
    return role_ == Role::settling && sight_.prior_listed && !sight_.line->prior->lost;
}

bool Keeper::is_rid() const {
    if (term_ == 0) return !pending_;
    if (role_ != Role::follower || pending_ || stale_ || !is_over()) return false;
    if (is_mine() && sight_.line->state != free) return false;
    const bool owes = sight_.line && sight_.line->prior &&
                      sight_.line->prior->keeper.id == self_.id && !sight_.word;
    return !owes;
}

// Kept by this instance, or by one before it at the same address, whose process is gone.
bool Keeper::is_at_our_address() const {
    return is_mine() || sight_.line->keeper.address == self_.address;
}

Where Keeper::where() const {
    if (!sight_.line) return Where::nowhere;
    if (role_ != Role::follower && role_ != Role::leaving && !draining_) return Where::here;
    const bool nobody = sight_.line->state == free || is_at_our_address();
    return nobody ? Where::nowhere : Where::peer;
}

// ── what comes out ──

Keeper::Next Keeper::next(Time now, WallTime wall, bool sure) {
    Next out;
    const bool rests = failed_at_ && now < *failed_at_ + settings_.ask_every;
    if (pending_ || (rests && grants_ != Grants::refused)) return out;
    if (!rests) failed_at_.reset();
    if (stale_) {
        out.look = true;
        return out;
    }
    const Grants before = grants_;
    pending_ = out.write = wanted(now, wall, sure);
    if (out.write) return out;
    out.again = grants_ != before;
    const Duration wait = asks_soon() ? settings_.ask_soon : settings_.ask_every;
    if (role_ != Role::settling || (asked_at_ && now < *asked_at_ + wait)) return out;
    asked_at_ = now;
    out.ask = sight_.line->prior;
    return out;
}

Keeper::Wanted Keeper::wanted(Time now, WallTime wall, bool sure) {
    switch (role_) {
        case Role::follower:
            return as_follower(now, wall, sure);
        case Role::settling:
            return as_settling(now, sure);
        case Role::idle:
            return as_idle();
        case Role::open:
            return as_open(now, wall);
        case Role::leaving:
            return as_leaving();
    }
    return std::nullopt;
}

bool Keeper::is_vacant() const {
    if (!sight_.line || sight_.line->state == free || sight_.line->state == leaving) return true;
    return !sight_.keeper_listed;
}

Keeper::Wanted Keeper::as_follower(Time now, WallTime wall, bool sure) {
    if (!is_over()) return std::nullopt;
    if (const auto& line = sight_.line;
        line && line->prior && line->prior->keeper.id == self_.id && !sight_.word) {
        given_up_ = std::max(given_up_, line->prior->epoch);
        return Write{sight_.version, std::nullopt, line->prior->epoch, 0};
    }
    if (!is_vacant() || draining_ || !sure) {
        vacant_since_.reset();
        return std::nullopt;
    }
    if (!vacant_since_) vacant_since_ = now;
    if (now < *vacant_since_ + sight_.rank * settings_.rank_delay) return std::nullopt;
    return take_over(wall);
}

Write Keeper::take_over(WallTime wall) const {
    const Epoch last = std::max(term_, sight_.line ? sight_.line->epoch : 0);
    Line next{next_epoch(last, wall), self_, idle, {}};
    if (!sight_.line) return {sight_.version, next, 0, 0};
    const Line& before = *sight_.line;
    next.prior = term_to_await(before);
    if (!next.prior) return {sight_.version, next, 0, 0};
    next.state = settling;
    if (before.state != settling) next.prior->lost = !sight_.keeper_listed;
    return {sight_.version, next, 0, 0};
}

// Nothing of this instance ran when it took the line over, so a prior term of its own is over.
bool Keeper::prior_is_over(Time now, bool sure) {
    const Prior& prior = *sight_.line->prior;
    if (known_over_ == prior.epoch) return true;
    settled_ = sight_.word_of_operator ? Settled::by_operator : Settled::word;
    if (sight_.word || prior.keeper.id == self_.id) return true;
    const auto stopped = prior_stopped();
    if (!sure || !settings_.release_after || !stopped) return false;
    if (now < *stopped + *settings_.release_after) return false;
    settled_ = Settled::hold_timeout;
    return true;
}

Keeper::Wanted Keeper::as_settling(Time now, bool sure) {
    const Prior& prior = *sight_.line->prior;
    if (prior_is_over(now, sure)) {
        Write write = to(idle);
        if (sight_.word) write.drop_word = prior.epoch;
        return write;
    }
    if (prior.lost || sight_.prior_listed || !ends_without_word()) return std::nullopt;
    Write write = to(settling);
    write.line->prior->lost = true;
    return write;
}

Keeper::Wanted Keeper::as_idle() const {
    if (facts_.waits) return to(open);
    if (draining_) return to(free);
    return std::nullopt;
}

// Between the two calls of next() the gate stops to grant and tells its facts.
Keeper::Wanted Keeper::close() {
    if (grants_ == Grants::on) {
        grants_ = Grants::stopping;
        facts_fresh_ = false;
        return std::nullopt;
    }
    if (!is_quiet()) return std::nullopt;
    if (grants_ == Grants::stopping) grants_ = Grants::closing;
    return to(draining_ ? free : idle);
}

Keeper::Wanted Keeper::as_open(Time now, WallTime wall) {
    if (facts_fresh_ && !is_quiet()) {
        // A write of `idle` may still happen, unless this one takes its version.
        if (closes()) return to(open);
        grants_ = Grants::on;
        if (draining_) return to(leaving);
        if (facts_.granted < grants_an_epoch) return std::nullopt;
        Write write = to(open);
        write.line->epoch = next_epoch(term_, wall);
        return write;
    }
    if (grants_ != Grants::on || draining_) return close();
    if (!quiet_since_ || now < *quiet_since_ + settings_.idle_after) return std::nullopt;
    return close();
}

// Its line is finished: `free` if nobody took it over, else its word, as a follower.
Keeper::Wanted Keeper::as_leaving() {
    if (!facts_fresh_ || is_quiet()) {
        if (is_mine()) return close();
        follow();
        return std::nullopt;
    }
    if (closes()) return to(leaving);
    grants_ = Grants::on;
    return std::nullopt;
}

Write Keeper::to(LineState state) const {
    Write write{sight_.version, sight_.line, 0, 0};
    write.line->state = state;
    if (state != settling) write.line->prior.reset();
    return write;
}

}  // namespace ticketgate::cluster
