// The routes of combinations with regex routes. Clients choose the combinations by the paths they
// send, and there may be 2^regexes of them, so the number is bounded: the one that was asked for
// longest ago goes first. A request keeps the route that it has. Any thread.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "config/route_index.hpp"

namespace ticketgate {

struct Route;

class RouteCache {
 public:
    using Match = config::RouteIndex::Match;

    /// At most `most` routes.
    explicit RouteCache(std::size_t most) : most_(most) {}

    /// The route of this match: the one made before, or `make()`, which is called without the lock.
    template <class Make>
    std::shared_ptr<const Route> get(const Match& match, Make make) {
        if (auto known = find(match)) return known;
        return insert(match, make());
    }
    std::size_t size() const;

 private:
    using Entry = std::pair<Match, std::shared_ptr<const Route>>;

    std::shared_ptr<const Route> find(const Match& match);
    std::shared_ptr<const Route> insert(const Match& match, std::shared_ptr<const Route> route);

    const std::size_t most_;
    mutable std::mutex lock_;  // guards the two below
    std::list<Entry> used_;    // the latest first
    std::map<Match, std::list<Entry>::iterator> known_;
};

}  // namespace ticketgate
