// Memory that the coroutines of one loop share: what one of them puts there is good until it
// suspends, because the next one overwrites it. Debug builds check that: a use behind a suspension
// aborts, and fresh() gives the old memory back, so that AddressSanitizer sees what still points
// there. Release builds check nothing. Touched by its loop's thread only.
#pragma once

#include <cstdint>

#include "base/check.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

template <class T>
class Scratch {
 public:
    /// Checked at each use. A coroutine may keep one across a suspension, not use it there.
    class View {
     public:
        T& operator*() const {
            scratch_->check();
            return scratch_->value_;
        }
        T* operator->() const { return &**this; }

     private:
        friend class Scratch;
        explicit View(Scratch& scratch) : scratch_(&scratch) {}
        Scratch* scratch_;
    };

    explicit Scratch(const Scheduler& scheduler) : scheduler_(&scheduler) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// For new contents: those of the last use are over, and may still be there.
    View fresh() {
#ifdef TG_CHECK_SCRATCH
        if (resumes_ != scheduler_->resumes()) value_ = T();
        resumes_ = scheduler_->resumes();
#endif
        return View(*this);
    }
    /// For what fresh() was filled with since the last suspension.
    View view() {
        return View(*this);
    }

 private:
    void check() const {
#ifdef TG_CHECK_SCRATCH
        TG_CHECK(resumes_ == scheduler_->resumes());
#endif
    }

    const Scheduler* scheduler_;
    T value_{};
#ifdef TG_CHECK_SCRATCH
    std::uint64_t resumes_ = ~std::uint64_t{0};  // of the scheduler, at fresh()
#endif
};

}  // namespace ticketgate
