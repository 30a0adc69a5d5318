// All metrics of the process by name and labels. Owned by App; outlives everything that holds a
// reference from it. Any thread may register, remove and render; no request takes the mutex.
// Several instances with equal labels (one per I/O thread) appear as one series, their sum.
// Invariant: a family's type, help and bounds are those of its first instance.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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

    /// Each call makes a new instance, whose address stays valid until remove().
    Counter& counter(std::string_view name, std::string_view help, Labels labels = {});
    Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
    Histogram& histogram(std::string_view name, std::string_view help, Labels labels,
                         std::span<const double> bounds);

    /// The callback runs under the registry's mutex: it must not call the registry, nor take a lock
    /// under which another thread calls it. After `remove` it is not running and will not run.
    const Callback& gauge_fn(std::string_view name, std::string_view help, Labels labels, Callback);
    const Callback& counter_fn(std::string_view name, std::string_view help, Labels labels,
                               Callback);

    /// The rules of a callback hold.
    const Refresh& on_collect(Refresh);

    /// Invalidates the reference.
    void remove(const Counter& metric) { erase(&metric); }
    void remove(const Gauge& metric) { erase(&metric); }
    void remove(const Histogram& metric) { erase(&metric); }
    void remove(const Callback& metric) { erase(&metric); }
    void remove(const Refresh& refresh);
    /// Invalidates the reference; its series keeps what it counted. At most one retired instance
    /// stays for each series. Of series that have no other instance, the oldest are forgotten.
    void retire(const Counter& counter);
    void retire(const Histogram& histogram);
    static constexpr std::size_t most_retired = 256;  ///< such series in each family
    /// The process ends: nobody collects any more, and what is removed or retired from now on is
    /// left to the destructor.
    void close();

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
        bool retired = false;
    };
    using Instances = std::list<Instance>;
    struct Entry {
        Type type;
        std::string help;
        Instances instances;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    template <class T>
    T& insert(Type, std::string_view name, std::string_view help, Labels, std::unique_ptr<T>);
    void erase(const void* address);
    template <class T>
    static T* held(const Instance& instance);
    template <class T>
    void keep(const T& metric);
    void forget_oldest(Instances& all);

    mutable std::mutex mutex_;  // guards what follows; the numbers inside are atomics
    bool closed_ = false;
    std::list<Refresh> refreshes_;
    Entries entries_;
    struct Place {
        Entries::iterator entry;
        Instances::iterator instance;
    };
    std::unordered_map<const void*, Place> places_;  // by the metric's address
};

}  // namespace ticketgate::metrics
