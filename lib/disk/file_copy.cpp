#include "disk/file_copy.hpp"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include <cerrno>

namespace ticketgate::disk {
namespace {

// So that no single file takes the room of all others.
constexpr std::uint64_t files_at_least = 8;

// MFD_NOEXEC_SEAL, which the headers of Debian 12 do not have. Systems may demand it (Linux 6.3).
constexpr unsigned no_exec = 8;

Descriptor memory_file() {
    Descriptor file(::memfd_create("ticketgate file", MFD_CLOEXEC | no_exec));
    if (file.get() < 0 && errno == EINVAL)
        return Descriptor(::memfd_create("ticketgate file", MFD_CLOEXEC));
    return file;
}

struct Copy {
    Copy(std::uint64_t bytes, std::shared_ptr<CopyMemory> of)
        : size(of->take(bytes) ? bytes : 0), memory(std::move(of)) {}
    ~Copy() { memory->give_back(size); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    const std::uint64_t size;  // 0: there is no room
    const std::shared_ptr<CopyMemory> memory;
    Descriptor file{-1};
};

bool copy_all(int from, int to, std::uint64_t size) {
    off_t at = 0;
    while (static_cast<std::uint64_t>(at) < size) {
        const auto n = ::sendfile(to, from, &at, size - static_cast<std::uint64_t>(at));
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
    }
    return true;
}

}  // namespace

bool CopyMemory::take(std::uint64_t bytes) {
    const std::uint64_t most = most_;
    if (bytes > most / files_at_least) return false;
    std::uint64_t used = used_;
    do {
        if (used > most - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes));
    return true;
}

SharedDescriptor copy_of(const File& file, const std::shared_ptr<CopyMemory>& memory) {
    const auto copy = std::make_shared<Copy>(file.size, memory);
    if (copy->size == 0) return nullptr;
    copy->file = memory_file();
    if (copy->file.get() < 0 || !copy_all(file.descriptor(), copy->file.get(), copy->size))
        return nullptr;
    return {copy, &copy->file};
}

}  // namespace ticketgate::disk
