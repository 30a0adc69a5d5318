// What a replica shows of itself, and what it says of the others that the store lists.
#include <algorithm>
#include <utility>

#include "replica/changes.hpp"
#include "replica/replica.hpp"

namespace ticketgate::replica {
namespace {

std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

}  // namespace

// The keeper's settings count, so requests are treated by those of a replica that may change.
void Replica::compare(const cluster::Contents& contents) {
    auto differing = cluster::differing_queues(contents, settings_.self.id);
    const std::lock_guard lock(seen_lock_);
    if (differing == differing_) return;
    if (differing.empty())
        log_.info("all replicas have the same settings of the clustered queues");
    else
        log_.warn("another replica has other settings of a clustered queue; the keeper's count",
                  {{"queues", joined(differing)}});
    differing_ = std::move(differing);
}

// The other one gets what is meant for this one, and refuses it or answers for itself.
void Replica::compare_address(const cluster::Contents& contents) {
    auto with = sharing_.with(monotonic_now(), contents);
    const std::lock_guard lock(seen_lock_);
    if (with == shares_with_) return;
    if (with.empty())
        log_.info("no other replica has this one's address any more");
    else
        log_.error(
            "another replica has this one's address: write a different "
            "cluster.peer.advertise in each",
            {{"address", settings_.self.address},
             {"this_replica", settings_.self.name + ' ' + settings_.self.id},
             {"other", with}});
    shares_with_ = std::move(with);
}

bool Replica::shares_address() const {
    const std::lock_guard lock(seen_lock_);
    return !shares_with_.empty();
}

std::set<std::string> Replica::differing() const {
    const std::lock_guard lock(seen_lock_);
    return differing_;
}

LineView Replica::view(const std::string& queue) const {
    const std::lock_guard lock(seen_lock_);
    const auto found = seen_.find(queue);
    return found == seen_.end() ? LineView() : found->second;
}

Duration Replica::sure() const {
    const std::lock_guard lock(seen_lock_);
    return std::max(Duration{0}, Duration(seen_sure_until_ - boot_now()));
}

std::shared_ptr<const cluster::Contents> Replica::contents() const {
    const std::lock_guard lock(seen_lock_);
    return contents_;
}

void Replica::tell_kept_lines() const {
    const std::lock_guard lock(seen_lock_);
    for (const auto& [queue, view] : seen_)
        log_kept(log_, queue, view, {problem_, seen_full_}, settings_.options);
}

std::string Replica::problem() const {
    const std::lock_guard lock(seen_lock_);
    return problem_;
}

bool Replica::store_is_full() const {
    const std::lock_guard lock(seen_lock_);
    return seen_full_;
}

}  // namespace ticketgate::replica
