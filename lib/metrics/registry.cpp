#include "metrics/registry.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/check.hpp"

namespace ticketgate::metrics {
namespace {

bool valid(const Labels& labels) {
    return std::all_of(labels.begin(), labels.end(), [](const auto& label) {
        return valid_name(label.first) && label.first.find(':') == std::string::npos &&
               label.first != "le";
    });
}

double value_of(const Counter& counter) {
    return static_cast<double>(counter.value());
}
double value_of(const Gauge& gauge) {
    return gauge.value();
}
double value_of(const Histogram& histogram) {
    return histogram.sum();
}
double value_of(const Callback& callback) {
    return callback();
}

std::span<const double> bounds_of(const Histogram& histogram) {
    return histogram.bounds();
}
std::span<const double> bounds_of(const auto&) {
    return {};
}

void add_buckets(const Histogram& histogram, Series& series) {
    series.buckets.resize(histogram.bounds().size() + 1);
    for (std::size_t i = 0; i < series.buckets.size(); ++i) series.buckets[i] += histogram.count(i);
}
void add_buckets(const auto&, Series&) {}

bool is_empty(const Histogram& histogram) {
    for (std::size_t i = 0; i <= histogram.bounds().size(); ++i)
        if (histogram.count(i) != 0) return false;
    return true;
}

void add(Counter& to, const Counter& earlier) {
    to.add(earlier.value());
}
void add(Histogram& to, const Histogram& earlier) {
    to.add(earlier);
}

// `known`: the index of each series of the family.
Series& series_for(Family& family, std::map<Labels, std::size_t>& known, const Labels& labels) {
    const auto [found, is_new] = known.try_emplace(labels, family.series.size());
    if (is_new) family.series.push_back({labels, 0, {}});
    return family.series[found->second];
}

}  // namespace

template <class T>
T& Registry::insert(Type type, std::string_view name, std::string_view help, Labels labels,
                    std::unique_ptr<T> metric) {
    // Equal labels are equal in any order.
    std::sort(labels.begin(), labels.end());
    TG_CHECK(valid_name(name) && valid(labels));
    const std::lock_guard lock(mutex_);
    const auto entry =
        entries_.try_emplace(std::string(name), Entry{type, std::string(help), {}}).first;
    auto& [first_type, first_help, instances] = entry->second;
    TG_CHECK(first_type == type);
    if (!instances.empty())
        std::visit(
            [&](const auto& first) {
                TG_CHECK(std::ranges::equal(bounds_of(*first), bounds_of(*metric)));
            },
            instances.front().metric);
    T& reference = *metric;
    // First: where there is no memory, nothing is left that nobody could remove.
    const auto place = places_.try_emplace(&reference).first;
    try {
        instances.push_back({std::move(labels), std::move(metric)});
    } catch (...) {
        places_.erase(place);
        throw;
    }
    place->second = {entry, std::prev(instances.end())};
    return reference;
}

Counter& Registry::counter(std::string_view name, std::string_view help, Labels labels) {
    return insert(Type::counter, name, help, std::move(labels), std::make_unique<Counter>());
}

Gauge& Registry::gauge(std::string_view name, std::string_view help, Labels labels) {
    return insert(Type::gauge, name, help, std::move(labels), std::make_unique<Gauge>());
}

Histogram& Registry::histogram(std::string_view name, std::string_view help, Labels labels,
                               std::span<const double> bounds) {
    TG_CHECK(std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) ==
             bounds.end());
    return insert(Type::histogram, name, help, std::move(labels),
                  std::make_unique<Histogram>(bounds));
}

const Callback& Registry::gauge_fn(std::string_view name, std::string_view help, Labels labels,
                                   Callback value) {
    return insert(Type::gauge, name, help, std::move(labels),
                  std::make_unique<Callback>(std::move(value)));
}

const Callback& Registry::counter_fn(std::string_view name, std::string_view help, Labels labels,
                                     Callback value) {
    return insert(Type::counter, name, help, std::move(labels),
                  std::make_unique<Callback>(std::move(value)));
}

const Refresh& Registry::on_collect(Refresh refresh) {
    const std::lock_guard lock(mutex_);
    return refreshes_.emplace_back(std::move(refresh));
}

void Registry::remove(const Refresh& refresh) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    refreshes_.remove_if([&](const Refresh& one) { return &one == &refresh; });
}

void Registry::erase(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(address);
    if (closed_ || found == places_.end()) return;
    const auto [entry, instance] = found->second;
    places_.erase(found);
    entry->second.instances.erase(instance);
    if (entry->second.instances.empty()) entries_.erase(entry);
}

void Registry::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

template <class T>
T* Registry::held(const Instance& instance) {
    const auto* const metric = std::get_if<std::unique_ptr<T>>(&instance.metric);
    return metric != nullptr ? metric->get() : nullptr;
}

void Registry::retire(const Counter& counter) {
    if (counter.value() == 0) return remove(counter);
    keep(counter);
}

void Registry::retire(const Histogram& histogram) {
    if (is_empty(histogram)) return remove(histogram);
    keep(histogram);
}

template <class T>
void Registry::keep(const T& metric) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(&metric);
    if (closed_ || found == places_.end()) return;
    const auto its = found->second.instance;
    auto& all = found->second.entry->second.instances;
    const auto earlier = std::ranges::find_if(
        all, [&](const Instance& one) { return one.retired && one.labels == its->labels; });
    its->retired = true;
    if (earlier != all.end()) {
        add(*held<T>(*its), *held<T>(*earlier));
        places_.erase(held<T>(*earlier));
        all.erase(earlier);
    }
    forget_oldest(all);
}

// A series that something still counts must not fall.
void Registry::forget_oldest(Instances& all) {
    const auto alone = [&](const Instance& one) {
        return one.retired && std::ranges::none_of(all, [&](const Instance& other) {
                   return !other.retired && other.labels == one.labels;
               });
    };
    while (std::cmp_greater(std::ranges::count_if(all, alone), most_retired)) {
        const auto oldest = std::ranges::find_if(all, alone);
        std::visit([this](const auto& metric) { places_.erase(metric.get()); }, oldest->metric);
        all.erase(oldest);
    }
}

std::vector<Family> Registry::collect() const {
    const std::lock_guard lock(mutex_);
    std::vector<Family> families;
    if (closed_) return families;
    for (const Refresh& refresh : refreshes_) refresh();
    for (const auto& [name, entry] : entries_) {
        Family& family = families.emplace_back(Family{name, entry.help, entry.type, {}, {}});
        std::map<Labels, std::size_t> known;
        for (const auto& instance : entry.instances) {
            Series& series = series_for(family, known, instance.labels);
            std::visit(
                [&](const auto& metric) {
                    const auto bounds = bounds_of(*metric);
                    family.bounds.assign(bounds.begin(), bounds.end());
                    series.value += value_of(*metric);
                    add_buckets(*metric, series);
                },
                instance.metric);
        }
    }
    return families;
}

std::string Registry::render() const {
    return to_text(collect());
}

}  // namespace ticketgate::metrics
