// Detects that this process is the child of a fork, which must not use random bytes drawn by its
// parent. A byte on a page that the kernel wipes in children (MADV_WIPEONFORK), so a check costs
// one load; where the kernel cannot do that, each check calls getpid(). One per Entropy.
#pragma once

#include <sys/types.h>

#include <utility>

namespace ticketgate::ids {

class ForkMark {
 public:
    ForkMark();
    ~ForkMark();
    ForkMark(ForkMark&& other) noexcept
        : page_(std::exchange(other.page_, nullptr)), process_(other.process_) {}
    ForkMark& operator=(ForkMark&& other) noexcept {
        std::swap(page_, other.page_);
        std::swap(process_, other.process_);
        return *this;
    }

    /// True once in each child.
    bool forked() {
        if (page_ != nullptr && *page_ != 0) [[likely]]
            return false;
        return look();
    }

 private:
    bool look();

    volatile char* page_;  // 1 until a fork
    pid_t process_;
};

}  // namespace ticketgate::ids
