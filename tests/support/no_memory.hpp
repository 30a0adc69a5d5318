// A shortage of memory on demand. Replaces operator new, so each program includes it once.
#pragma once

#include <cstdlib>
#include <new>

namespace ticketgate {

/// While one exists, no memory is given out.
class NoMemory {
 public:
    NoMemory() { refuses = true; }
    ~NoMemory() { refuses = false; }
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;

    static inline bool refuses = false;
};

}  // namespace ticketgate

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return ticketgate::NoMemory::refuses ? nullptr : std::malloc(size);
}

void* operator new(std::size_t size) {
    void* const memory = operator new(size, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

// The address sanitizer has its own of each form, so each form is replaced.
void* operator new[](std::size_t size) {
    return operator new(size);
}

void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return operator new(size, std::nothrow);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

void operator delete[](void* memory) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
