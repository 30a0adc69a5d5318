#include "admin/spares.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace ticketgate::admin {

bool Spares::give_up_one() {
    if (descriptors_.empty()) return false;
    ::close(descriptors_.back());
    descriptors_.pop_back();
    return true;
}

void Spares::refill(std::size_t used) {
    const std::size_t wanted = most_ - std::min(used, most_);
    while (descriptors_.size() > wanted) give_up_one();
    while (descriptors_.size() < wanted) {
        const int descriptor = ::eventfd(0, EFD_CLOEXEC);
        if (descriptor < 0) return;
        descriptors_.push_back(descriptor);
    }
}

}  // namespace ticketgate::admin
