#include "cluster_model/world.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ticketgate::cluster::model {
namespace {

constexpr Time now{};
constexpr WallTime wall{};

Keeper::Settings settings(const Limits& limits) {
    Keeper::Settings out;
    out.lease = out.idle_after = out.rank_delay = out.ask_every = out.ask_soon = Duration{};
    out.worker_idle = limits.workers;
    return out;
}

}  // namespace

std::string to_string(const Step& step) {
    constexpr std::array<const char*, 23> names{
        "look",     "see",         "next",       "commit", "lose answer", "lose write",
        "no space", "stored full", "late write", "ask",    "tell",        "ask workers",
        "facts",    "arrive",      "leave",      "grant",  "end",         "unlist",
        "list",     "doubt",       "drain",      "crash",  "orphan ends"};
    return std::string(1, static_cast<char>('A' + step.who)) + ' ' +
           names[static_cast<std::size_t>(step.act)];
}

World::World(const Limits& limits) {
    for (int i = 0; i < limits.replicas; ++i) {
        const std::string id(1, static_cast<char>('A' + i));
        replicas.push_back({Keeper({id, id, id}, settings(limits))});
    }
}

std::vector<Step> World::possible(const Limits& limits) const {
    std::vector<Step> out;
    for (int who = 0; who < limits.replicas; ++who) {
        const Replica& one = replicas[static_cast<std::size_t>(who)];
        const auto may = [&](Act act, bool possible, int which = 0) {
            if (possible) out.push_back({act, who, which});
        };
        for (std::size_t i = 0; i < one.late.size(); ++i)
            may(Act::late_write, one.late[i].version == version, static_cast<int>(i));
        may(Act::unlist, one.listed && (!one.up || unlists < limits.unlists));
        if (!one.up) continue;
        may(Act::look, !one.seen && !one.writing);
        may(Act::see, limits.fine && one.seen.has_value());
        may(Act::next, !one.writing);
        may(Act::commit, one.writing.has_value());
        for (const Act act : {Act::lose_answer, Act::lose_write, Act::no_space, Act::stored_full})
            may(act, one.writing.has_value() && losses < limits.losses);
        may(Act::ask, one.keeper.role() == Role::settling);
        for (int other = 0; other < limits.replicas; ++other)
            may(Act::tell, may_tell(one, replicas[static_cast<std::size_t>(other)]), other);
        may(Act::ask_workers, limits.workers && one.sure && one.keeper.prior_stopped());
        may(Act::facts, limits.fine);
        may(Act::arrive, one.here && !one.waits);
        may(Act::leave, limits.fine && one.waits);
        may(Act::grant, one.granting && one.sure && one.waits && one.runs == 0);
        may(Act::end, one.runs != 0);
        may(Act::list, !one.listed);
        may(Act::doubt, limits.workers && one.sure);
        may(Act::drain, !one.drains && drains < limits.drains);
        may(Act::crash, crashes < limits.crashes);
    }
    for (std::size_t i = 0; i < orphans.size(); ++i)
        out.push_back({Act::orphan_ends, 0, static_cast<int>(i)});
    return out;
}

std::string World::take(const Step& step, const Limits& limits) {
    Replica& one = at(step);
    switch (step.act) {
        case Act::look:
            look(one);
            if (!limits.fine) see(one);
            return {};
        case Act::see:
            see(one);
            return {};
        case Act::next:
            next(one, limits);
            return {};
        case Act::commit:
        case Act::lose_answer:
        case Act::lose_write:
            write(one, step.act);
            return {};
        case Act::no_space:
        case Act::stored_full:
            ++losses;
            if (step.act == Act::stored_full) (void)commit(*one.writing);
            one.writing.reset();
            one.keeper.written(Written::failed, 0, now);
            sync(one);
            return {};
        case Act::ask:
            return ask(one);
        case Act::tell:
            return tell(one, replicas[static_cast<std::size_t>(step.which)]);
        case Act::ask_workers:
            return ask_workers(one);
        case Act::grant:
            return grant(one);
        case Act::facts:
            sync(one);
            return {};
        case Act::drain:
            ++drains;
            one.drains = true;
            one.keeper.drain();
            sync(one);
            return {};
        default:
            around(step);
            return {};
    }
}

// What happens without a keeper.
void World::around(const Step& step) {
    Replica& one = at(step);
    switch (step.act) {
        case Act::late_write: {
            const Write write = one.late[static_cast<std::size_t>(step.which)];
            one.late.erase(one.late.begin() + step.which);
            (void)commit(write);
            break;
        }
        case Act::arrive:
            one.waits = true;
            break;
        case Act::leave:
            one.waits = false;
            break;
        case Act::end:
            one.runs = 0;
            break;
        case Act::unlist:
            unlists += one.up ? 1 : 0;
            one.listed = false;
            break;
        case Act::list:
            one.listed = true;
            break;
        case Act::doubt:
            one.sure = false;
            break;
        case Act::crash:
            crash(one);
            break;
        default:
            orphans.erase(orphans.begin() + step.which);
            break;
    }
}

void World::see(Replica& one) {
    one.sure = one.seen_listed;
    (void)one.keeper.saw(*std::exchange(one.seen, std::nullopt), now);
    sync(one);
}

void World::write(Replica& one, Act how) {
    const Write write = *std::exchange(one.writing, std::nullopt);
    const Written result = how == Act::lose_write ? Written::unknown : commit(write);
    if (how != Act::commit) {
        ++losses;
        if (write.version == version) one.late.push_back(write);
    }
    one.keeper.written(how == Act::commit ? result : Written::unknown, version, now);
    sync(one);
}

bool World::listed(const std::string& id) const {
    return replicas[static_cast<std::size_t>(id[0] - 'A')].listed;
}

Sight World::sight() const {
    Sight out{version, line, false, false, false, 0};
    if (!line) return out;
    out.keeper_listed = listed(line->keeper.id);
    if (!line->prior) return out;
    out.prior_listed = listed(line->prior->keeper.id);
    out.word = std::ranges::find(words, line->prior->epoch) != words.end();
    return out;
}

void World::look(Replica& one) const {
    one.seen = sight();
    one.seen_listed = one.listed;
}

Written World::commit(const Write& write) {
    if (write.version != version) return Written::refused;
    if (write.put_word != 0 && std::ranges::find(words, write.put_word) == words.end())
        words.push_back(write.put_word);
    if (write.drop_word != 0) std::erase(words, write.drop_word);
    if (!write.line) return Written::done;
    line = write.line;
    version = unused();
    for (Replica& one : replicas)
        std::erase_if(one.late, [&](const Write& late) { return late.version != version; });
    return Written::done;
}

// What the shell does behind each call of the keeper: the gate first, then its facts.
void World::sync(Replica& one) {
    one.granting = one.keeper.may_grant();
    one.granting_epoch = one.keeper.epoch();
    one.here = one.keeper.where() == Where::here;
    // The tickets of a line that is not kept here any more are moved.
    if (one.keeper.role() == Role::follower) one.waits = false;
    one.keeper.set({one.waits, one.runs != 0 ? 1U : 0U, 0}, now);
}

void World::next(Replica& one, const Limits& limits) {
    Keeper::Next next;
    if (!limits.fine) sync(one);
    do {
        next = one.keeper.next(now, wall, one.sure);
        sync(one);
    } while (next.again);
    if (!next.write) return;
    one.seen.reset();
    if (next.write->line && next.write->line->epoch >= first_epoch + limits.epochs) {
        one.keeper.written(Written::refused, 0, now);  // the store takes no more epochs
        return;
    }
    one.writing = next.write;
}

void World::crash(Replica& one) {
    ++crashes;
    if (one.writing && one.writing->version == version) one.late.push_back(*one.writing);
    if (one.runs != 0) orphans.push_back(one.runs);
    std::ranges::sort(orphans);
    const std::vector<Write> late = std::move(one.late);
    const Keeper gone({}, {});
    one = {gone};
    one.listed = true;
    one.up = false;
    one.late = late;
}

bool World::runs(Epoch epoch) const {
    return std::ranges::any_of(replicas, [&](const Replica& one) { return one.runs == epoch; }) ||
           std::ranges::find(orphans, epoch) != orphans.end();
}

std::string World::grant(Replica& one) {
    const bool alone = orphans.empty() && std::ranges::all_of(replicas, [](const Replica& other) {
                           return other.runs == 0;
                       });
    one.runs = one.granting_epoch;
    one.waits = false;
    if (!alone) return "two requests at the backend";
    if (one.runs < latest) return "a request of an older epoch after one of a newer";
    latest = one.runs;
    return {};
}

std::string World::ask(Replica& one) {
    const Prior prior = *one.keeper.line()->prior;
    Replica& other = replicas[static_cast<std::size_t>(prior.keeper.id[0] - 'A')];
    if (!other.up || &other == &one) return {};
    const bool given = other.keeper.asked(prior.epoch, one.keeper.epoch());
    sync(other);
    if (!given) return {};
    if (runs(prior.epoch)) return "a word while something of its epoch runs";
    one.keeper.over(prior.epoch, Settled::word);
    sync(one);
    return {};
}

// Needed where a line passed on without a word: one that is cut from the store learns of it so.
bool World::may_tell(const Replica& one, const Replica& other) const {
    const auto& seen = one.keeper.line();
    return seen && other.up && other.keeper.epoch() != 0 && seen->epoch > other.keeper.epoch();
}

std::string World::tell(const Replica& one, Replica& other) {
    const Epoch term = other.keeper.epoch();
    const bool given = other.keeper.asked(term, one.keeper.line()->epoch);
    sync(other);
    return given && runs(term) ? "a word while something of its epoch runs" : "";
}

// A lease has passed since the term was written down as lost: its keeper has read that, or does
// not hold itself for sure. Then the backend says whether it works.
std::string World::ask_workers(Replica& one) {
    const Prior prior = *one.keeper.line()->prior;
    Replica& other = replicas[static_cast<std::size_t>(prior.keeper.id[0] - 'A')];
    if (other.up && other.keeper.epoch() == prior.epoch) {
        other.sure = false;
        other.seen.reset();
    }
    if (!orphans.empty() ||
        std::ranges::any_of(replicas, [](const Replica& each) { return each.runs != 0; }))
        return {};
    one.keeper.over(prior.epoch, Settled::workers);
    sync(one);
    return {};
}

}  // namespace ticketgate::cluster::model
