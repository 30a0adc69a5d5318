#include "task/frames.hpp"

#include <array>
#include <new>
#include <utility>

namespace ticketgate::task_frames {
namespace {

// The sizes that malloc has: it adds 8 bytes and rounds up to 16, so a frame wastes none. Up to 2
// KiB; keeps at most 64 frames of each size, so that a burst is freed.
constexpr std::size_t grain = 16, own_bytes = 8, classes = 129, most_kept = 64;

struct Free {
    Free* next;
};

struct Pool {
    std::array<Free*, classes> lists{};
    std::array<std::size_t, classes> kept{};
    ~Pool() {
        for (Free* list : lists)
            while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
};

thread_local Pool pool;

constexpr std::size_t class_of(std::size_t size) {
    return (size + own_bytes + grain - 1) / grain - 1;
}
constexpr std::size_t size_of(std::size_t index) {
    return (index + 1) * grain - own_bytes;
}
static_assert(size_of(class_of(136)) == 136 && size_of(class_of(137)) == 152);

}  // namespace

void* allocate(std::size_t size) {
    const std::size_t index = class_of(size);
    if (index >= classes) return ::operator new(size);
    if (Free* frame = pool.lists[index]) {
        pool.lists[index] = frame->next;
        --pool.kept[index];
        return frame;
    }
    return ::operator new(size_of(index));
}

void release(void* frame, std::size_t size) noexcept {
    const std::size_t index = class_of(size);
    if (index >= classes || pool.kept[index] >= most_kept) return ::operator delete(frame);
    auto* free = static_cast<Free*>(frame);
    free->next = pool.lists[index];
    pool.lists[index] = free;
    ++pool.kept[index];
}

}  // namespace ticketgate::task_frames
