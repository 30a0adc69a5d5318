// Counter, Gauge, Histogram: numbers written by one thread each and read by the scraper.
// Owned by the Registry. Each I/O thread asks for its own instance of each and is its only writer,
// so a relaxed load and store is enough: no lock prefix, no shared cache line. A second writer
// would lose counts. A scrape may see a histogram's sum a moment older than its counts; the next
// scrape sees both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ticketgate::metrics {

inline constexpr std::size_t cache_line = 64;

class alignas(cache_line) Counter {
 public:
    void add(std::uint64_t n = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
    std::atomic<std::uint64_t> value_{0};
};

class alignas(cache_line) Gauge {
 public:
    void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void add(double n) noexcept { set(value() + n); }
    double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
    std::atomic<double> value_{0};
};

class alignas(cache_line) Histogram {
 public:
    /// Upper bounds, rising; +Inf is added.
    explicit Histogram(std::span<const double> bounds)
        : bounds_(bounds.begin(), bounds.end()),
          counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1)) {}

    void observe(double value) noexcept {
        std::size_t i = 0;
        while (i < bounds_.size() && !(value <= bounds_[i])) ++i;
        auto& count = counts_[i];
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        sum_.store(sum() + value, std::memory_order_relaxed);
    }
    /// Adds the observations of `other`, which has the same bounds.
    void add(const Histogram& other) noexcept {
        for (std::size_t i = 0; i <= bounds_.size(); ++i)
            counts_[i].store(count(i) + other.count(i), std::memory_order_relaxed);
        sum_.store(sum() + other.sum(), std::memory_order_relaxed);
    }

    std::span<const double> bounds() const noexcept { return bounds_; }
    /// The count of one bucket, not cumulative; index bounds().size() is the bucket up to +Inf.
    std::uint64_t count(std::size_t bucket) const noexcept {
        return counts_[bucket].load(std::memory_order_relaxed);
    }
    double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
    std::vector<double> bounds_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
    std::atomic<double> sum_{0};
};

/// Returns a value at each scrape; runs on the scraping thread.
using Callback = std::function<double()>;
/// Runs at each scrape before its callbacks, so that several of them can report one moment.
using Refresh = std::function<void()>;

/// Bounds in seconds for waits, holds and requests: 1 ms to 5 minutes.
inline constexpr double seconds_buckets[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                             0.5,   1,      2.5,   5,    10,    30,   60,  300};

}  // namespace ticketgate::metrics
