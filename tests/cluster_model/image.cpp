// A world as bytes. Versions are numbered anew in the order in which they are met, so that worlds
// which differ only in how often the record was written are the same.
#include <algorithm>
#include <map>

#include "cluster_model/world.hpp"

namespace ticketgate::cluster {

struct KeeperImage {
    template <class Use>
    static void each_version(Keeper& keeper, Use use) {
        use(keeper.sight_.version);
        if (keeper.pending_) use(keeper.pending_->version);
    }
    template <class Out>
    static void add(Out& out, const Keeper& keeper) {
        out.add(keeper.facts_fresh_).add(keeper.facts_.waits).add(keeper.facts_.holds);
        out.add(keeper.role_).add(keeper.grants_).add(keeper.draining_).add(keeper.stale_);
        out.add(keeper.sight_).add(keeper.pending_);
        for (const Epoch epoch : {keeper.term_, keeper.given_up_, keeper.known_over_})
            out.epoch(epoch);
        out.add(keeper.settled_);
        for (const auto& time : {keeper.vacant_since_, keeper.quiet_since_, keeper.lost_since_,
                                 keeper.asked_at_, keeper.failed_at_})
            out.add(time.has_value());
    }
};

namespace model {
namespace {

class Bytes {
 public:
    template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T> Bytes& add(T value) {
        text.push_back(static_cast<char>(value));
        return *this;
    }
    Bytes& epoch(Epoch epoch) { return add(epoch == 0 ? 0 : epoch - first_epoch + 1); }
    template <class T>
    Bytes& add(const std::optional<T>& value) {
        add(value.has_value());
        if (value) add(*value);
        return *this;
    }
    Bytes& add(const Instance& instance) { return add(instance.id.empty() ? ' ' : instance.id[0]); }
    Bytes& add(const Prior& prior) { return epoch(prior.epoch).add(prior.keeper).add(prior.lost); }
    Bytes& add(const Line& line) {
        return epoch(line.epoch).add(line.keeper).add(line.state).add(line.prior);
    }
    Bytes& add(const Sight& sight) {
        add(sight.version).add(sight.line).add(sight.keeper_listed);
        return add(sight.prior_listed).add(sight.word);
    }
    Bytes& add(const Write& write) {
        return add(write.version).add(write.line).epoch(write.put_word).epoch(write.drop_word);
    }
    std::string text;
};

void add(Bytes& out, const Replica& one) {
    out.add(one.up).add(one.listed).add(one.sure).add(one.drains).add(one.granting).add(one.here);
    out.add(one.waits).epoch(one.granting_epoch).epoch(one.runs);
    out.add(one.seen).add(one.seen_listed).add(one.writing).add(one.late.size());
    for (const Write& write : one.late) out.add(write);
    if (one.up) KeeperImage::add(out, one.keeper);
}

template <class Use>
void each_version(World& world, Use use) {
    use(world.version);
    for (Replica& one : world.replicas) {
        KeeperImage::each_version(one.keeper, use);
        if (one.seen) use(one.seen->version);
        if (one.writing) use(one.writing->version);
        for (Write& late : one.late) use(late.version);
    }
}

}  // namespace

// A version that nobody knows.
std::uint64_t World::unused() {
    std::uint64_t most = 0;
    each_version(*this, [&](std::uint64_t& known) { most = std::max(most, known); });
    return most + 1;
}

std::string World::image() {
    std::map<std::uint64_t, std::uint64_t> anew{{0, 0}};
    each_version(*this, [&](std::uint64_t& known) {
        known = anew.try_emplace(known, anew.size()).first->second;
    });
    Bytes out;
    out.add(version).add(line).add(words.size());
    std::ranges::sort(words);
    for (const Epoch word : words) out.epoch(word);
    for (const Replica& one : replicas) add(out, one);
    out.add(orphans.size());
    for (const Epoch orphan : orphans) out.epoch(orphan);
    out.epoch(latest).add(crashes).add(drains).add(losses).add(unlists);
    return std::move(out.text);
}

}  // namespace model
}  // namespace ticketgate::cluster
