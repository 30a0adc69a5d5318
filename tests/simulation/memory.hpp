// Memory that runs short for the proxy when a sweep says so. What the proxy asks for is counted,
// and may be refused; what the world around it needs is not. One thread.
#pragma once

#include <cstdint>

namespace ticketgate::sim::memory {

/// While it lives it is the proxy that runs, or (false) the world in the midst of a system call.
class Running {
 public:
    explicit Running(bool proxy);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

 private:
    const bool before_;
};

/// Counts from the beginning; the `first`th piece that the proxy asks for, and `count` in all, are
/// refused. 0: none.
void refuse(std::uint64_t first, std::uint64_t count);
std::uint64_t asked();

}  // namespace ticketgate::sim::memory
