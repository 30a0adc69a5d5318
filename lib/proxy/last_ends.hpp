// When the last exchange of each queue ended: it tells which request can have made a call from
// inside. Also kept while clients.inside is empty, since a reload may set it. Allocates nothing, as
// a run notes its end in its destructor. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>

#include "base/clock.hpp"

namespace ticketgate {

class LastEnds {
 public:
    /// `queue`: any address that stands for it; null: the exchange was not queued. Time::max(): its
    /// backend may run it for ever.
    void note(const void* queue, Time at) {
        const std::lock_guard lock(lock_);
        Time& last = of(queue);
        last = std::max(last, at);
    }
    /// When the last exchange of another process ended: the other one of an upgrade, or another
    /// replica. Time::max(): it may run some. Replaces what was noted before.
    void note_others(Time at) {
        const std::lock_guard lock(lock_);
        others_ = at;
    }
    /// True while another process may run exchanges.
    bool others_run() const {
        const std::lock_guard lock(lock_);
        return others_ == Time::max();
    }
    /// True once the script of an exchange of this process may run for ever.
    bool stray() const {
        const std::lock_guard lock(lock_);
        const auto end = ends_.begin() + static_cast<std::ptrdiff_t>(count_);
        return std::any_of(ends_.begin(), end, [](const End& e) { return e.at == Time::max(); });
    }
    /// The last end of any other queue's, of those that were not queued and of other processes'.
    Time elsewhere(const void* queue) const {
        const std::lock_guard lock(lock_);
        Time last = others_;
        for (std::size_t i = 0; i < count_; ++i)
            if (ends_[i].queue != queue) last = std::max(last, ends_[i].at);
        return last;
    }

 private:
    struct End {
        const void* queue = nullptr;
        Time at{};
    };
    // If there are too many queues, or they come and go, the unqueued ones stand for all.
    Time& of(const void* queue) {
        for (std::size_t i = 0; i < count_; ++i)
            if (ends_[i].queue == queue) return ends_[i].at;
        if (count_ == ends_.size()) {
            for (const End& end : ends_) ends_[0].at = std::max(ends_[0].at, end.at);
            count_ = 1;
        }
        if (queue == nullptr) return ends_[0].at;
        ends_[count_].queue = queue;
        ends_[count_].at = Time{};
        return ends_[count_++].at;
    }
    mutable std::mutex lock_;
    std::array<End, 64> ends_{};  // the first: not queued
    std::size_t count_ = 1;
    Time others_{};
};

}  // namespace ticketgate
