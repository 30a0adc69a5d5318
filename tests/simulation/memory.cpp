#include "simulation/memory.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "task/frames.hpp"

namespace ticketgate {

namespace sim::memory {
namespace {

bool proxy_runs = false;
std::uint64_t pieces = 0, first_refused = 0, refusals = 0;
std::size_t largest_given = no_limit;

void* allocate(std::size_t size) noexcept {
    if (proxy_runs && ++pieces >= first_refused && pieces - first_refused < refusals)
        return nullptr;
    if (proxy_runs && size > largest_given) return nullptr;
    return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    const auto grain = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(grain, (size + grain - 1) / grain * grain);
}

void* must(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

Running::Running(bool proxy) : before_(std::exchange(proxy_runs, proxy)) {}

Running::~Running() {
    proxy_runs = before_;
}

void refuse(std::uint64_t first, std::uint64_t count) {
    pieces = 0;
    first_refused = first;
    refusals = count;
}

void limit(std::size_t largest) {
    largest_given = largest;
}

std::uint64_t asked() {
    return pieces;
}

}  // namespace sim::memory

// No free list: each frame is allocated, so a sanitizer sees the use of a freed one. The linker
// prefers these functions to those in lib/task.
void* task_frames::allocate(std::size_t size) {
    return ::operator new(size);
}

void task_frames::release(void* frame, std::size_t) noexcept {
    ::operator delete(frame);
}

}  // namespace ticketgate

void* operator new(std::size_t size) {
    return ticketgate::sim::memory::must(ticketgate::sim::memory::allocate(size));
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return ticketgate::sim::memory::allocate(size);
}

// The address sanitizer has its own of each form, so each form is replaced.
void* operator new[](std::size_t size) {
    return operator new(size);
}

void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return operator new(size, std::nothrow);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    return ticketgate::sim::memory::must(ticketgate::sim::memory::allocate(size, alignment));
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

void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
