#include "replica/line.hpp"

#include <utility>

namespace ticketgate::replica {

using cluster::Keeper;

Line::Line(std::string queue, const cluster::Instance& self, const Keeper::Settings& settings,
           std::function<void()> missed)
    : queue_(std::move(queue)), keeper_(self, settings), missed_(std::move(missed)) {}

void Line::missed() {
    if (!told_missed_.exchange(true)) missed_();
}

// The gate asks the permit under its lock, so what it grants behind this call it grants with it.
void Line::tell_gate(BootTime sure_until) {
    const cluster::Epoch term = keeper_.epoch();
    if (gate_ && term != 0 && term != term_) {
        gate_->start_term(cluster::numbers_before(term));
        term_ = term;
    }
    until_.store(keeper_.may_grant() ? sure_until.time_since_epoch().count() : 0);
    publish();
    const bool elsewhere = keeper_.role() == cluster::Role::follower &&
                           keeper_.where() == cluster::Where::peer;
    if (gate_ && elsewhere) gate_->move_away();
}

void Line::publish() {
    const cluster::Where where = keeper_.where();
    std::shared_ptr<const LineKeeper> at;
    if (where == cluster::Where::peer) {
        const cluster::Line& line = *keeper_.line();
        if (at_ && at_->epoch == line.epoch && at_->address == line.keeper.address) at = at_;
        if (!at) at = std::make_shared<const LineKeeper>(LineKeeper{line.keeper.address, line.epoch});
    }
    const std::lock_guard lock(lock_);
    where_ = where;
    at_ = std::move(at);
}

// Without the store a replica grants nothing, and no other can be found: newcomers need not wait.
// A keeper that is known is asked all the same.
Whereabouts Line::where() const {
    using enum Whereabouts::Where;
    const std::lock_guard lock(lock_);
    if (where_ == cluster::Where::peer) return {peer, at_};
    if (store_away_ && !holds()) return {away, nullptr};
    return {where_ == cluster::Where::here ? here : nowhere, nullptr};
}

Keeper::Facts Line::facts() const {
    if (!gate_) return {};
    const LocalGate::Facts seen = gate_->look();
    const std::uint64_t before = cluster::numbers_before(term_);
    return {seen.waits, seen.holds, seen.token > before ? seen.token - before : 0};
}

// A look that began before the last write ended may show the record as it was before.
void Line::saw(const cluster::Sight& sight, std::uint64_t look, BootTime sure_until) {
    if (look <= looks_at_write_) return;
    keeper_.saw(sight, monotonic_now());
    tell_gate(sure_until);
}

void Line::written(cluster::Written how, std::uint64_t version, std::uint64_t looks,
                   BootTime sure_until) {
    looks_at_write_ = looks;
    keeper_.written(how, version, monotonic_now());
    tell_gate(sure_until);
}

Keeper::Next Line::drive(BootTime sure_until) {
    told_missed_.store(false);
    Keeper::Next next;
    do {
        tell_gate(sure_until);
        keeper_.set(facts(), monotonic_now());
        next = keeper_.next(monotonic_now(), wall_now(), boot_now() < sure_until);
        tell_gate(sure_until);
    } while (next.again);
    return next;
}

}  // namespace ticketgate::replica
