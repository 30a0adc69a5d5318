// Memory of coroutine frames: a short free list a thread and size class, since the same few frames
// come and go with every request. A frame may be freed on another thread than it was made on.
#pragma once

#include <cstddef>

namespace ticketgate::task_frames {

void* allocate(std::size_t size);
void release(void* frame, std::size_t size) noexcept;

}  // namespace ticketgate::task_frames
