// The last 15 minutes of each queue, for the charts of the live page. Pure: counts and figures are
// arguments. Owned by the Live view; control thread. Memory: `points` points for each queue of the
// config, of some 150 bytes.
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "gate/gate_view.hpp"

namespace ticketgate::admin {

/// The value below which this share of the observations lies, by linear interpolation within a
/// bucket; null: there are none. `counts`: of each bucket, one more than `bounds`. What lies above
/// the last bound counts as that bound.
std::optional<double> quantile(std::span<const std::uint64_t> counts,
                               std::span<const double> bounds, double share);

class History {
 public:
    static constexpr seconds step = 10s;
    static constexpr std::size_t points = 90;  ///< 15 minutes

    struct Reading {
        std::string queue;
        GateCounts counts;
    };

    /// One reading of every queue, a `step` after the last one. The first of a queue only begins
    /// its history; a queue that is not among the readings loses it.
    void add(const std::vector<Reading>& readings);

    /// For each of these queues a list of each quantile and rate, oldest first; null: no request.
    /// `whole` has the same of all points together, and `seconds` that they cover.
    boost::json::object of(const std::set<std::string>& queues) const;

 private:
    /// The counts of one step, or the sum of several. A step counts less than 2^32.
    using Buckets = std::array<std::uint32_t, std::tuple_size_v<GateCounts::Buckets>>;
    struct Point {
        Buckets waits{}, holds{};
        std::uint32_t refused = 0;
    };
    struct Past {
        GateCounts last;
        std::deque<Point> points;
    };
    static Point between(const GateCounts& before, const GateCounts& now);
    static void add(const Point& point, GateCounts& to);
    static boost::json::object lists(const Past& past);

    std::map<std::string, Past> queues_;
};

}  // namespace ticketgate::admin
