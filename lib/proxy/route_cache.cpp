#include "proxy/route_cache.hpp"

#include <utility>

namespace ticketgate {

std::shared_ptr<const Route> RouteCache::find(const Match& match) {
    const std::lock_guard lock(lock_);
    const auto known = known_.find(match);
    if (known == known_.end()) return nullptr;
    used_.splice(used_.begin(), used_, known->second);
    return known->second->second;
}

// Another thread may have made it meanwhile: equal matches share the route that was made first.
std::shared_ptr<const Route> RouteCache::insert(const Match& match,
                                                std::shared_ptr<const Route> route) {
    const std::lock_guard lock(lock_);
    const auto known = known_.find(match);
    if (known != known_.end()) return known->second->second;
    used_.emplace_front(match, std::move(route));
    known_.emplace(match, used_.begin());
    const auto made = used_.front().second;
    if (used_.size() > most_) {
        known_.erase(used_.back().first);
        used_.pop_back();
    }
    return made;
}

std::size_t RouteCache::size() const {
    const std::lock_guard lock(lock_);
    return used_.size();
}

}  // namespace ticketgate
