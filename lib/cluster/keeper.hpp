// One replica's part in keeping one clustered queue: whether it keeps the line, what it writes into
// the store for that, and whether a slot may be granted. Pure: what the store showed, what its
// peers said and the facts of the gate come in; what to do next comes out (CLUSTER.md section 4).
// Owned by the shell of the cluster, whose thread makes every call.
//
// Why two keepers never have requests at the backend together: a request of epoch e starts only
// between the store's commit of `open` for e and the word for e, which is given only when nothing
// of e runs, and after which nothing of e is granted. An epoch behind e opens only
//   - if it replaced `idle` or `free` of e: then `open` for e cannot be written any more; or
//   - with the word for e; or inherits the duty to wait for it, with `prior`.
// No clock is in that. tests/cluster_model tries every order of events on this class.
//
// A write whose answer is lost may have happened, or may still happen later. It counts as ours if a
// read shows it. If the read does not show it, and it is one behind which nothing may run (`idle`,
// `free`), nothing is granted until another write has taken its version. A write that a store
// without space refuses has not happened and will not: an open line stays open and grants on.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "cluster/record.hpp"

namespace ticketgate::cluster {

enum class Role : std::uint8_t {
    follower,  ///< another replica keeps the line, or none; requests of a deposed term may still
               ///< run
    settling,  ///< it keeps the line and waits for the end of what an earlier term granted
    idle,      ///< it keeps the line; nothing runs
    open,      ///< it keeps the line and grants
    leaving    ///< it drains: grants to those in its line, and lets another replica take over
};

/// Where a request of the queue takes its ticket.
enum class Where : std::uint8_t {
    here,
    peer,    ///< at the keeper that the record names
    nowhere  ///< no keeper is known
};

/// What one linearizable read of the store showed of the line. It must have begun after the last
/// write of this keeper ended, with or without an answer.
struct Sight {
    std::uint64_t version = 0;      ///< 0: there is no record
    std::optional<Line> line;       ///< null with version 0
    bool keeper_listed = false;     ///< the store lists the instance that keeps it
    bool prior_listed = false;      ///< and that of its `prior`
    bool word = false;              ///< the word for its `prior` stands in the store
    std::uint32_t rank = 0;         ///< ours among the listed replicas (rank.hpp)
    bool word_of_operator = false;  ///< with `word`: an operator wrote it
};

/// A write to the store. It replaces `version` of the line's record, or fails.
struct Write {
    std::uint64_t version = 0;
    std::optional<Line> line;  ///< the new record; null: only the word
    Epoch put_word = 0;        ///< writes the word for this epoch; 0: none
    Epoch drop_word = 0;       ///< deletes the word for this epoch, which is settled; 0: none

    bool operator==(const Write&) const = default;
};

enum class Written : std::uint8_t {
    done,
    refused,  ///< the record has another version
    unknown,  ///< no answer: it may happen yet
    failed    ///< the store has no space. It has happened or never will: the next look tells
};

/// Why a lost term counts as over.
enum class Settled : std::uint8_t {
    word,          ///< its keeper said so
    workers,       ///< release: worker_idle
    hold_timeout,  ///< on_hold_timeout: release; fails open
    by_operator    ///< `ticketgate settle`; fails open if the operator is wrong
};

class Keeper {
 public:
    struct Settings {
        Duration lease = 5s;
        Duration idle_after = 1s;
        Duration rank_delay = 200ms;  ///< of each rank, before it takes a line without a keeper
        Duration ask_every = 100ms;   ///< also between writes to a store without space
        Duration ask_soon = 20ms;     ///< instead, while the asked replica is listed
        /// hold_timeout with on_hold_timeout: release; null: a lost term never ends by time.
        std::optional<Duration> release_after;
        bool worker_idle = false;  ///< php-fpm can be asked whether a lost term is over

        bool operator==(const Settings&) const = default;
    };
    /// The gate's part of this queue.
    struct Facts {
        bool waits = false;         ///< a ticket waits here
        std::uint32_t holds = 0;    ///< slots held here, of any term
        std::uint64_t granted = 0;  ///< in this term

        bool operator==(const Facts&) const = default;
    };
    /// What the shell does next; at most one of them.
    struct Next {
        std::optional<Write> write;
        bool look = false;         ///< read the store
        bool again = false;        ///< set the facts and call next() again
        std::optional<Prior> ask;  ///< ask this term's keeper for its word
    };

    Keeper(Instance self, const Settings& settings) : self_(std::move(self)), settings_(settings) {}
    /// The replica that this keeper belongs to. Never changes; any thread.
    const Instance& self() const { return self_; }

    // After each of these calls, and after next(), the shell tells the gate may_grant() and where()
    // before it does anything else.

    /// False: it was not used, for a write is under way. Then nothing is proven by it either.
    bool saw(const Sight&, Time now);
    /// The end of the write that next() gave. `version`: of the record, if it was written.
    void written(Written, std::uint64_t version, Time now);
    /// The gate's facts, read after it was told the present may_grant() and where().
    void set(const Facts&, Time now);
    void set(const Settings& settings) { settings_ = settings; }
    const Settings& settings() const { return settings_; }
    void drain() { draining_ = true; }
    /// A peer that took the line over as `by` asks for the word for a term of this instance. True:
    /// nothing of that term runs or will run here.
    bool asked(Epoch term, Epoch by);
    /// It is known that nothing of this term runs or will run.
    void over(Epoch term, Settled how);

    /// `sure`: the sending of the last read that listed this instance is less than 0.9 lease ago.
    Next next(Time now, WallTime wall, bool sure);

    /// A slot may be granted, if the replica is sure as well.
    bool may_grant() const {
        return grants_ == Grants::on && (role_ == Role::open || role_ == Role::leaving);
    }
    Where where() const;
    /// It hands the line over, or takes it over from a replica that is listed: what the other one
    /// does next is near.
    bool is_handing_over() const { return role_ == Role::leaving || asks_soon(); }
    /// It keeps no line, and owes nobody the word for one that it has kept.
    bool is_rid() const;
    Role role() const { return role_; }
    /// Of the term that it keeps, or 0.
    Epoch epoch() const { return role_ == Role::follower ? 0 : term_; }
    const std::optional<Line>& line() const { return sight_.line; }
    /// The store lists the keeper that line() names.
    bool keeper_is_listed() const { return sight_.keeper_listed; }
    /// The version of the record that line() shows.
    std::uint64_t version() const { return sight_.version; }
    /// How the term before this one was settled.
    Settled settled() const { return settled_; }
    /// From then on nothing of the lost prior term is granted, and php-fpm may be asked for its
    /// end.
    std::optional<Time> prior_stopped() const;
    bool asks_workers() const { return role_ == Role::settling && settings_.worker_idle; }

    bool operator==(const Keeper&) const = default;

 private:
    friend struct KeeperImage;  // tests/cluster_model: compares keepers, and numbers versions anew
    enum class Grants : std::uint8_t {
        on,
        stopping,   ///< in order to write `idle` or `free`, once the facts say that nothing runs
        closing,    ///< the first such write is sent
        uncertain,  ///< one without an answer may still happen
        refused     ///< the store had no space for the first one: the next look tells its end
    };
    using Wanted = std::optional<Write>;

    bool is_mine() const { return sight_.line && sight_.line->keeper.id == self_.id; }
    bool is_at_our_address() const;
    bool is_quiet() const { return facts_fresh_ && !facts_.waits && facts_.holds == 0; }
    bool is_over() const { return facts_fresh_ && facts_.holds == 0; }
    bool may_finish() const;
    bool asks_soon() const;
    bool is_vacant() const;
    bool ends_without_word() const { return settings_.release_after || settings_.worker_idle; }
    bool prior_is_over(Time now, bool sure);
    void follow();
    void adopt(Time now);

    Wanted wanted(Time now, WallTime wall, bool sure);
    Wanted as_follower(Time now, WallTime wall, bool sure);
    Wanted as_settling(Time now, bool sure);
    Wanted as_idle() const;
    Wanted as_open(Time now, WallTime wall);
    Wanted as_leaving();
    Wanted close();
    bool closes() const { return grants_ == Grants::closing || grants_ == Grants::uncertain; }
    void fail(Time now);
    void go_on();
    Write to(LineState state) const;
    Write take_over(WallTime wall) const;

    Instance self_;
    Settings settings_;
    Facts facts_;
    bool facts_fresh_ = false;  // read after the gate was told of the last change
    Role role_ = Role::follower;
    Grants grants_ = Grants::on;
    bool draining_ = false;

    Sight sight_;           // the record, as last seen or written
    bool stale_ = true;     // it is read before anything is written
    Wanted pending_;        // sent, and its end is not known
    Epoch term_ = 0;        // the latest of this instance
    Epoch given_up_ = 0;    // nothing of it or of an earlier one is granted here any more
    Epoch known_over_ = 0;  // a prior term of which over() told
    Settled settled_ = Settled::word;
    std::optional<Time> vacant_since_, quiet_since_, lost_since_, asked_at_, failed_at_;
};

}  // namespace ticketgate::cluster
