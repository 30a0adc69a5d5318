// Memory that the coroutines of one loop share. Contents are valid until the coroutine that wrote
// them suspends, because the next one overwrites them. Debug builds check that: a use after a
// suspension aborts, and fresh() frees the old memory, so that AddressSanitizer finds pointers into
// it. Release builds check nothing. Touched by its loop's thread only.
#pragma once

#include <cstdint>

#include "base/check.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

template <class T>
class Scratch {
 public:
    /// Checked at each use. A coroutine may keep one across a suspension, but not use it then.
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

    /// For new contents: the old ones are no longer valid, but may still be there.
    View fresh() {
#ifdef TG_CHECK_SCRATCH
        if (resumes_ != scheduler_->resumes()) value_ = T();
        resumes_ = scheduler_->resumes();
#endif
        return View(*this);
    }
    /// For the contents written since fresh(), if no suspension came between.
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
    std::uint64_t resumes_ = ~std::uint64_t{0};  // the scheduler's count at fresh()
#endif
};

}  // namespace ticketgate
