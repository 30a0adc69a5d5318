// What the store holds for one cluster: its keys and their meaning (CLUSTER.md section 3). One read
// of all keys shows everything at one moment. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/etcd_wire.hpp"
#include "cluster/keeper.hpp"

namespace ticketgate::cluster {

/// The names of the keys. `name` is that of the cluster.
class Keys {
 public:
    explicit Keys(std::string_view name) : prefix_("/ticketgate/" + std::string(name) + '/') {}

    const std::string& prefix() const { return prefix_; }
    std::string cluster() const { return prefix_ + "cluster"; }
    std::string replica(std::string_view instance) const;
    std::string line(std::string_view queue) const;
    std::string word(std::string_view queue, Epoch) const;

 private:
    std::string prefix_;
};

/// A replica that the store lists: it has a lease there.
struct Replica {
    Instance self;
    std::string version;
    std::map<std::string, std::string, std::less<>> queues;  ///< name, its settings as text
    WallTime started{};  ///< by its clock, for people; WallTime{}: an earlier version does not say

    bool operator==(const Replica&) const = default;
};

/// The word for an epoch: nothing of it runs or will run.
struct Word {
    Epoch epoch = 0;
    bool of_operator = false;  ///< `ticketgate settle` wrote it; else a replica did

    bool operator==(const Word&) const = default;
};

struct StoredLine {
    std::uint64_t version = 0;  ///< 0: there is no record
    std::optional<Line> line;
    std::vector<Word> words;
    WallTime since{};  ///< when the record was written, by its writer's clock; for people

    bool operator==(const StoredLine&) const = default;
};

struct Contents {
    etcd::Revision revision = 0;
    std::string id;       ///< of the cluster; empty: it was not initialised
    std::string cluster;  ///< the value in which the id stands
    std::vector<Replica> replicas;
    std::map<std::string, StoredLine, std::less<>> lines;

    bool lists(std::string_view instance) const;
};

std::string write_cluster(std::string_view id);
std::string write_replica(const Replica&);

/// Null, and in `why` the key and a sentence, if a value is not what ticketgate writes: such a
/// store is not used. Keys that it does not know are left out.
std::optional<Contents> read_contents(const Keys&, const etcd::Snapshot&, std::string& why);

/// What the store showed of this queue, as its keeper wants it. `self` is the instance that looks.
Sight sight_of(const Contents&, std::string_view queue, std::string_view self);

/// The queues of which a listed replica has other settings than `self`. A listing that does not say
/// them is left out.
std::set<std::string> differing_queues(const Contents&, std::string_view self);

/// The transaction of a keeper's write. It also fails if the store is not the one that was read:
/// `cluster` is Contents::cluster. `self`: the instance that writes.
etcd::Transaction transaction_of(const Keys&, const std::string& cluster, std::string_view queue,
                                 std::string_view self, const Write&, WallTime now);

/// Remembers what a store has shown, and what was written there. A store that later shows less has
/// lost data: it was wiped or restored, and nothing that it says about slots can be believed
/// (CLUSTER.md section 1, 9).
class Memory {
 public:
    /// A sentence, if these contents show less than this; empty: they do not. A read must show what
    /// was known when it began, so it is checked against a copy made then.
    std::string check(const Contents&) const;
    void remember(const Contents&);
    void remember(const std::string& queue, Epoch, etcd::Revision);
    const std::string& id() const { return id_; }

 private:
    std::string id_;
    etcd::Revision revision_ = 0;
    struct Record {
        Epoch epoch = 0;
        etcd::Revision version = 0;
    };
    void note(const std::string& queue, Record);
    std::map<std::string, Record, std::less<>> records_;
};

}  // namespace ticketgate::cluster
