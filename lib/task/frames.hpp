// Memory of coroutine frames: a short free list per thread and size class, since every request
// needs the same few frames. A frame may be freed on another thread than the one that allocated it.
#pragma once

#include <cstddef>

namespace ticketgate::task_frames {

void* allocate(std::size_t size);
void release(void* frame, std::size_t size) noexcept;

/// The same memory for objects that live as long as a request (std::allocate_shared).
template <class T>
struct Allocator {
    using value_type = T;
    Allocator() = default;
    template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): the standard asks for it
    Allocator(const Allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(task_frames::allocate(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { task_frames::release(p, n * sizeof(T)); }
    bool operator==(const Allocator&) const = default;
};

}  // namespace ticketgate::task_frames
