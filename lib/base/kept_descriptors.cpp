#include "base/kept_descriptors.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace ticketgate {
namespace {

std::atomic<int> first_kept{std::numeric_limits<int>::max()};

}  // namespace

void keep_descriptors_from(int first) {
    first_kept = first;
}

// The system gives out the lowest free number, so a high one means that few are left.
int unless_kept(int descriptor) noexcept {
    if (descriptor < first_kept.load(std::memory_order_relaxed)) return descriptor;
    ::close(descriptor);
    errno = EMFILE;
    return -1;
}

}  // namespace ticketgate
