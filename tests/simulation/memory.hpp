// Memory shortage for the proxy, caused by a sweep. The proxy's allocations are counted and may
// fail; those of the world around it do not. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ticketgate::sim::memory {

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// While it exists the proxy runs, or (false) the world inside a system call.
class Running {
 public:
    explicit Running(bool proxy);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

 private:
    const bool before_;
};

/// Restarts the count and makes `count` allocations of the proxy fail, from the `first`th on. 0:
/// none.
void refuse(std::uint64_t first, std::uint64_t count);
/// Makes every allocation of the proxy above this size fail.
void limit(std::size_t largest);
std::uint64_t asked();

}  // namespace ticketgate::sim::memory
