// The last 15 minutes of each queue, for the charts of the live page. Pure: counts and figures are
// arguments. Owned by the Live view; control thread. Memory: `points` points for each queue of the
// config.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
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
    boost::json::object of(const std::set<std::string>& queues) const;

 private:
    struct Quantiles {
        std::optional<double> p50, p95, p99;
    };
    struct Point {
        Quantiles waits, holds;
        double admitted = 0, refused = 0;  ///< a second
    };
    struct Past {
        GateCounts last;
        std::deque<Point> points;
    };
    static Quantiles quantiles(const GateCounts::Buckets& now, const GateCounts::Buckets& before);
    static Point between(const GateCounts& before, const GateCounts& now);
    static boost::json::object lists(const Past& past);

    std::map<std::string, Past> queues_;
};

}  // namespace ticketgate::admin
