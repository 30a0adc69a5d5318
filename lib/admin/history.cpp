#include "admin/history.hpp"

#include <boost/json/array.hpp>
#include <numeric>

#include "metrics/metric.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

json::value of(std::span<const std::uint64_t> counts, double share) {
    const auto value = quantile(counts, metrics::seconds_buckets, share);
    return value ? json::value(*value) : json::value(nullptr);
}

// The percentiles and rates of counts that took so many seconds.
json::object figures(const GateCounts& counts, double seconds) {
    const auto all = std::accumulate(counts.waits.begin(), counts.waits.end(), std::uint64_t{0});
    const auto a_second = [seconds](std::uint64_t number) {
        return seconds > 0 ? static_cast<double>(number) / seconds : 0;
    };
    return {{"wait_p50", of(counts.waits, 0.5)},  {"wait_p95", of(counts.waits, 0.95)},
            {"wait_p99", of(counts.waits, 0.99)}, {"hold_p50", of(counts.holds, 0.5)},
            {"hold_p95", of(counts.holds, 0.95)}, {"hold_p99", of(counts.holds, 0.99)},
            {"admitted", a_second(all)},          {"refused", a_second(counts.refused)}};
}

}  // namespace

std::optional<double> quantile(std::span<const std::uint64_t> counts,
                               std::span<const double> bounds, double share) {
    const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (all == 0) return std::nullopt;
    const double rank = share * static_cast<double>(all);
    double below = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        const auto here = static_cast<double>(counts[i]);
        if (below + here >= rank && here > 0) {
            const double from = i == 0 ? 0 : bounds[i - 1];
            return from + (bounds[i] - from) * (rank - below) / here;
        }
        below += here;
    }
    return bounds.back();
}

History::Point History::between(const GateCounts& before, const GateCounts& now) {
    const auto less = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::uint32_t>(a - b);
    };
    Point point;
    for (std::size_t i = 0; i < point.waits.size(); ++i) {
        point.waits[i] = less(now.waits[i], before.waits[i]);
        point.holds[i] = less(now.holds[i], before.holds[i]);
    }
    point.refused = less(now.refused, before.refused);
    return point;
}

void History::add(const Point& point, GateCounts& to) {
    for (std::size_t i = 0; i < point.waits.size(); ++i) {
        to.waits[i] += point.waits[i];
        to.holds[i] += point.holds[i];
    }
    to.refused += point.refused;
}

void History::add(const std::vector<Reading>& readings) {
    std::map<std::string, Past> next;
    for (const Reading& reading : readings) {
        const auto known = queues_.find(reading.queue);
        Past& past = next[reading.queue];
        if (known != queues_.end()) {
            past = std::move(known->second);
            past.points.push_back(between(past.last, reading.counts));
            if (past.points.size() > points) past.points.pop_front();
        }
        past.last = reading.counts;
    }
    queues_ = std::move(next);
}

json::object History::lists(const Past& past) {
    json::object lists = figures(GateCounts{}, to_s(step));
    for (auto& [name, list] : lists) list = json::array();
    GateCounts all;
    for (const Point& point : past.points) {
        GateCounts one;
        add(point, one);
        add(point, all);
        for (const auto& [name, value] : figures(one, to_s(step)))
            lists[name].as_array().push_back(value);
    }
    const auto seconds = static_cast<double>(past.points.size()) * to_s(step);
    lists["whole"] = figures(all, seconds);
    lists["seconds"] = seconds;
    return lists;
}

json::object History::of(const std::set<std::string>& queues) const {
    json::object all;
    for (const auto& [name, past] : queues_)
        if (queues.contains(name)) all[name] = lists(past);
    return {{"step_seconds", step.count()}, {"points", points}, {"queues", std::move(all)}};
}

}  // namespace ticketgate::admin
