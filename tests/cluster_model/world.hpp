// All of a small cluster as one value: a store, some replicas with the real Keeper, and their
// backend. Every event that may happen next is one Step; explore.cpp tries all of them in every
// order. Time stands still: all delays of the keepers are 0, and what time would bring (a lease
// that ends, a timer) may happen at any moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/keeper.hpp"

namespace ticketgate::cluster::model {

struct Limits {
    int replicas = 3;
    Epoch epochs = 3;
    int crashes = 2;
    int drains = 1;
    int losses = 1;        ///< writes without an answer, or without space
    int unlists = 2;       ///< leases that end
    bool workers = false;  ///< release: worker_idle
    /// Reads arrive late, and the gate's facts change before the keeper knows them.
    bool fine = false;
};

enum class Act : std::uint8_t {
    look,         ///< a read of the store begins and happens
    see,          ///< its answer arrives
    next,         ///< a timer: the keeper decides
    commit,       ///< its write happens and the answer arrives
    lose_answer,  ///< its write happens, the answer does not arrive
    lose_write,   ///< no answer arrives, and the write may happen later
    no_space,     ///< the store has no space for it: it does not happen
    stored_full,  ///< the store says so, and it happens
    late_write,   ///< a write without an answer happens
    ask,          ///< it asks the prior keeper for its word
    tell,         ///< it has seen that a later epoch began, and asks the keeper of an earlier one
    ask_workers,  ///< it asks the backend whether the lost term is over
    facts,        ///< the gate tells its facts
    arrive,       ///< a ticket is taken
    leave,        ///< the waiting client leaves
    grant,
    end,     ///< the backend has answered
    unlist,  ///< its lease ends in the store
    list,    ///< it announces itself anew
    doubt,   ///< 0.9 lease has passed since its last read
    drain,
    crash,
    orphan_ends  ///< the backend ends what a crashed replica had sent
};

struct Step {
    Act act;
    int who = 0;
    int which = 0;
};
std::string to_string(const Step&);

struct Replica {
    Keeper keeper;
    bool up = true, listed = true, sure = false, drains = false;
    // What the gate was told, and its own part.
    bool granting = false, here = false, waits = false;
    Epoch granting_epoch = 0;
    Epoch runs = 0;                  ///< the epoch of the request at the backend; 0: none
    std::optional<Sight> seen{};     ///< a read whose answer has not arrived
    bool seen_listed = false;        ///< it listed this replica
    std::optional<Write> writing{};  ///< sent
    std::vector<Write> late{};       ///< writes without an answer that may happen yet
};

struct World {
    explicit World(const Limits&);

    std::vector<Step> possible(const Limits&) const;
    /// Takes the step; returns what it breaks, or an empty text.
    std::string take(const Step&, const Limits&);
    /// Two worlds with the same image behave the same.
    std::string image();

    std::uint64_t version = 0;
    std::optional<Line> line;
    std::vector<Epoch> words;
    std::vector<Replica> replicas;
    std::vector<Epoch> orphans;  ///< epochs of requests that run for crashed replicas
    Epoch latest = 0;            ///< of all that was ever granted
    int crashes = 0, drains = 0, losses = 0, unlists = 0;

 private:
    Replica& at(const Step& step) { return replicas[static_cast<std::size_t>(step.who)]; }
    bool listed(const std::string& id) const;
    Sight sight() const;
    Written commit(const Write&);
    void look(Replica&) const;
    void see(Replica&);
    void write(Replica&, Act how);
    void around(const Step&);
    void sync(Replica&);
    void next(Replica&, const Limits&);
    void crash(Replica&);
    std::string grant(Replica&);
    std::string ask(Replica&);
    bool may_tell(const Replica& one, const Replica& other) const;
    std::string tell(const Replica& one, Replica& other);
    std::string ask_workers(Replica&);
    bool runs(Epoch epoch) const;
    std::uint64_t unused();
};

}  // namespace ticketgate::cluster::model
