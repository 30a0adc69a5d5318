// Memory shortage for the proxy, caused by a sweep. The proxy's allocations are counted and may
// fail; those of the world around it do not. One thread.
#pragma once

#include <cstdint>

namespace ticketgate::sim::memory {

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
std::uint64_t asked();

}  // namespace ticketgate::sim::memory
