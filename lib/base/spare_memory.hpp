// Small blocks of memory that are set aside for allocations that must not fail: of what an
// exception destroys on its way, since Asio posts the end of a coroutine from a destructor, and of
// threads that wait for memory. operator new frees one when malloc has failed, and tries again.
// Asio allocates by operator new for that reason (cmake/options.cmake). The sanitizers have an
// operator new of their own, which does not. One for each process; any thread.
#pragma once

#include "base/clock.hpp"

namespace ticketgate {

/// Sets the blocks aside. Call it once, at the start. Throws std::bad_alloc.
void set_spare_memory_aside();

/// Replaces the blocks that were used. To be called before each coroutine begins, since it may use
/// one when it ends; false if some are missing and there is no memory for them.
[[nodiscard]] bool refill_spare_memory() noexcept;

/// From now on, an allocation of this thread that fails uses the blocks, and then waits: at most
/// this long in one shortage, before it throws std::bad_alloc. Never 0.
void wait_for_memory_on_this_thread(Duration longest) noexcept;

}  // namespace ticketgate
