#include "disk/file_copy.hpp"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <cerrno>

#include "base/take_within.hpp"

namespace ticketgate::disk {
namespace {

// So that no single file takes the room of all others.
constexpr std::uint64_t files_at_least = 8;

// A memory file takes whole pages, and the system needs about one more to manage it.
std::uint64_t cost_of(std::uint64_t bytes) {
    const std::uint64_t page = page_size();
    return (bytes + page - 1) / page * page + page;
}

// One read. A disk that needs long for the whole file is asked for no more of them.
constexpr std::uint64_t most_at_once = 64 << 10;

// MFD_NOEXEC_SEAL, which the headers of Debian 12 do not have. Systems may demand it (Linux 6.3).
constexpr unsigned no_exec = 8;

Descriptor memory_file() {
    Descriptor file(::memfd_create("ticketgate file", MFD_CLOEXEC | no_exec));
    if (file.get() < 0 && errno == EINVAL)
        return Descriptor(::memfd_create("ticketgate file", MFD_CLOEXEC));
    return file;
}

struct Copy {
    Copy(const File& of, std::shared_ptr<CopyBudget> its_budget)
        : cost(its_budget->take(cost_of(of.size)) ? cost_of(of.size) : 0),
          budget(std::move(its_budget)),
          original(of.shared()) {}
    ~Copy() {
        if (cost != 0) budget->give_back(cost);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    const std::uint64_t cost;  // 0: there is no room
    const std::shared_ptr<CopyBudget> budget;
    // Open, so that no other file gets its identity.
    const SharedDescriptor original;
    Descriptor file{-1};
};

bool copy_all(int from, int to, std::uint64_t size, Time until) {
    off_t at = 0;
    while (static_cast<std::uint64_t>(at) < size) {
        const std::uint64_t left = size - static_cast<std::uint64_t>(at);
        const auto n = ::sendfile(to, from, &at, std::min(left, most_at_once));
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (monotonic_now() >= until) return static_cast<std::uint64_t>(at) == size;
    }
    return true;
}

}  // namespace

void CopyBudget::limit(std::uint64_t bytes, std::uint64_t copies) {
    most_ = bytes;
    most_copies_ = copies;
}

bool CopyBudget::take(std::uint64_t bytes) {
    const std::uint64_t most = most_;
    if (bytes > most / files_at_least || !take_within(copies_, most_copies_, 1)) return false;
    if (take_within(used_, most, bytes)) return true;
    --copies_;
    return false;
}

void CopyBudget::give_back(std::uint64_t bytes) {
    used_ -= bytes;
    --copies_;
}

SharedDescriptor copy_of(const File& file, const std::shared_ptr<CopyBudget>& budget,
                         Duration most) {
    const Time until = monotonic_now() + most;
    const auto copy = std::make_shared<Copy>(file, budget);
    if (copy->cost == 0 || file.size == 0) return nullptr;
    copy->file = memory_file();
    if (copy->file.get() < 0 || !copy_all(file.descriptor(), copy->file.get(), file.size, until))
        return nullptr;
    return {copy, &copy->file};
}

}  // namespace ticketgate::disk
