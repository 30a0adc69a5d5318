#include "admin/history.hpp"

#include <boost/json/array.hpp>
#include <numeric>

#include "metrics/metric.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

json::value number(const std::optional<double>& value) {
    return value ? json::value(*value) : json::value(nullptr);
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

History::Quantiles History::quantiles(const GateCounts::Buckets& now,
                                      const GateCounts::Buckets& before) {
    GateCounts::Buckets counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = now[i] - before[i];
    const auto at = [&](double share) { return quantile(counts, metrics::seconds_buckets, share); };
    return {at(0.5), at(0.95), at(0.99)};
}

History::Point History::between(const GateCounts& before, const GateCounts& now) {
    const auto sum = [](const GateCounts::Buckets& counts) {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    };
    const auto a_second = [](std::uint64_t n) { return static_cast<double>(n) / to_s(step); };
    return {quantiles(now.waits, before.waits), quantiles(now.holds, before.holds),
            a_second(sum(now.waits) - sum(before.waits)), a_second(now.refused - before.refused)};
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
    json::array w50, w95, w99, h50, h95, h99, admitted, refused;
    for (const Point& point : past.points) {
        w50.push_back(number(point.waits.p50));
        w95.push_back(number(point.waits.p95));
        w99.push_back(number(point.waits.p99));
        h50.push_back(number(point.holds.p50));
        h95.push_back(number(point.holds.p95));
        h99.push_back(number(point.holds.p99));
        admitted.emplace_back(point.admitted);
        refused.emplace_back(point.refused);
    }
    return {{"wait_p50", std::move(w50)},      {"wait_p95", std::move(w95)},
            {"wait_p99", std::move(w99)},      {"hold_p50", std::move(h50)},
            {"hold_p95", std::move(h95)},      {"hold_p99", std::move(h99)},
            {"admitted", std::move(admitted)}, {"refused", std::move(refused)}};
}

json::object History::of(const std::set<std::string>& queues) const {
    json::object all;
    for (const auto& [name, past] : queues_)
        if (queues.contains(name)) all[name] = lists(past);
    return {{"step_seconds", step.count()}, {"points", points}, {"queues", std::move(all)}};
}

}  // namespace ticketgate::admin
