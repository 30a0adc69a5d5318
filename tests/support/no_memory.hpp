// A shortage of memory on demand. Replaces operator new, so each program includes it once.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace ticketgate {

/// While one exists, memory is given out `pieces` times, to all threads together, and no more.
class NoMemory {
 public:
    explicit NoMemory(int pieces = 0) {
        left = pieces;
        on = true;
    }
    ~NoMemory() { on = false; }
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;

    static bool refuses() { return on && left-- <= 0; }

 private:
    static inline std::atomic<bool> on{false};
    static inline std::atomic<int> left{0};
};

}  // namespace ticketgate

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return ticketgate::NoMemory::refuses() ? nullptr : std::malloc(size);
}

void* operator new(std::size_t size) {
    void* const memory = operator new(size, std::nothrow);
    if (memory != nullptr) return memory;
    const std::new_handler find = std::get_new_handler();
    if (find == nullptr) throw std::bad_alloc();
    find();  // it has freed some, or throws
    return std::malloc(size);
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
