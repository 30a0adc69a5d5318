// All metrics of the process by name and labels. Owned by App; outlives everything that holds a
// reference from it. Any thread may register, remove and render; the mutex is never on a request's
// path. Several instances with equal labels (one per I/O thread) appear as one series, their sum.
// Invariant: a family's type, help and bounds are those of its first instance.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/prometheus.hpp"

namespace ticketgate::metrics {

class Registry {
 public:
    Registry() = default;
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// Addresses stay until removed. Each call makes a new instance.
    Counter& counter(std::string_view name, std::string_view help, Labels labels = {});
    Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
    Histogram& histogram(std::string_view name, std::string_view help, Labels labels,
                         std::span<const double> bounds);

    /// The callback runs under the registry's mutex: it must not call the registry, nor take a lock
    /// under which somebody else does. After `remove` it is not running and will not run.
    const Callback& gauge_fn(std::string_view name, std::string_view help, Labels labels, Callback);
    const Callback& counter_fn(std::string_view name, std::string_view help, Labels labels,
                               Callback);

    /// As for a callback.
    const Refresh& on_collect(Refresh);

    /// The reference is dead afterwards.
    void remove(const Counter& metric) { erase(&metric); }
    void remove(const Gauge& metric) { erase(&metric); }
    void remove(const Histogram& metric) { erase(&metric); }
    void remove(const Callback& metric) { erase(&metric); }
    void remove(const Refresh& refresh);

    /// Families by name, series by first registration, equal labels summed.
    std::vector<Family> collect() const;
    /// The text a Prometheus server scrapes.
    std::string render() const;

 private:
    using Metric = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>,
                                std::unique_ptr<Histogram>, std::unique_ptr<Callback>>;
    struct Instance {
        Labels labels;
        Metric metric;
    };
    struct Entry {
        Type type;
        std::string help;
        std::vector<Instance> instances;
    };

    template <class T>
    T& insert(Type, std::string_view name, std::string_view help, Labels, std::unique_ptr<T>);
    void erase(const void* address);

    mutable std::mutex mutex_;  // guards the two below; the numbers inside are atomics
    std::list<Refresh> refreshes_;
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace ticketgate::metrics
