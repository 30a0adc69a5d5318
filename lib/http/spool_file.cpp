#include "http/spool_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>

#include "base/kept_descriptors.hpp"

namespace ticketgate::http {
namespace {

constexpr std::size_t block_size = 64 << 10;
constexpr std::uint64_t hole_size = 1 << 20;  // a system call per MiB is cheap beside the copying

// Nameless from the start if the file system can; a crash leaves no file behind either way.
int open_unlinked(const std::string& directory) noexcept {
    const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || errno == EACCES || errno == ENOSPC) return file;
    std::array<char, PATH_MAX> name;
    std::snprintf(name.data(), name.size(), "%s/ticketgate-XXXXXX", directory.c_str());
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.data());
    return named;
}

bool write_at(int file, std::string_view bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
        const auto n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return true;
}

// Returns the number of bytes read, at least one; 0: a failure, since the caller knows that there
// are some.
std::size_t read_at(int file, char* out, std::size_t most, std::uint64_t offset) {
    for (;;) {
        const auto n = ::pread(file, out, most, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        return n < 0 ? 0 : static_cast<std::size_t>(n);
    }
}

}  // namespace

int SpoolBudget::fault_of(const std::string& directory) {
    const int file = open_unlinked(directory);
    if (file < 0) return errno;
    ::close(file);
    return 0;
}

result<std::unique_ptr<SpoolFile>> SpoolFile::open(SpoolBudget& budget) {
    const int file = unless_kept(open_unlinked(budget.limits().directory));
    if (file < 0) {
        budget.note_fault(errno);
        return error_code(errc::spool_full);
    }
    std::unique_ptr<SpoolFile> made(new (std::nothrow) SpoolFile(budget, file));
    if (made) return made;
    ::close(file);
    return error_code(errc::internal);
}

// The file has no name, so closing it frees its space.
SpoolFile::~SpoolFile() {
    ::close(file_);
    budget_.give_disk_back(end_ - hole_end_);
    if (block_) budget_.give_memory_back(block_size);
}

bool SpoolFile::append(std::string_view bytes) {
    if (!budget_.take_disk(bytes.size())) return false;
    if (!write_at(file_, bytes, end_)) {
        budget_.note_fault(errno);
        budget_.give_disk_back(bytes.size());
        return false;
    }
    end_ += bytes.size();
    return true;
}

std::string_view SpoolFile::front() {
    if (read_.empty()) read_block();
    return read_;
}

std::size_t SpoolFile::consume(std::size_t n) {
    const std::size_t read = std::min(n, read_.size());
    read_.remove_prefix(read);
    const std::uint64_t skipped = std::min<std::uint64_t>(n - read, end_ - begin_);
    begin_ += skipped;
    if (read_.empty() && begin_ != end_) punch_hole();
    return read + static_cast<std::size_t>(skipped);
}

// Bytes on disk must come out even if memory is short: the request that they belong to may hold the
// slot for which the owners of all memory wait. Asks for a block again at each read.
void SpoolFile::read_block() {
    if (!block_ && budget_.take_memory(block_size)) {
        block_.reset(new (std::nothrow) char[block_size]);
        if (!block_) budget_.give_memory_back(block_size);
    }
    const std::span<char> room = block_ ? std::span(block_.get(), block_size) : std::span(spare_);
    const auto most = std::min<std::uint64_t>(room.size(), end_ - begin_);
    read_ = {room.data(), read_at(file_, room.data(), static_cast<std::size_t>(most), begin_)};
    begin_ += read_.size();
}

// Frees the disk of bytes already sent: a slow reader of a stream must not fill it.
void SpoolFile::punch_hole() {
    const std::uint64_t read = (begin_ - hole_end_) / hole_size * hole_size;
    if (read == 0) return;
    const auto begin = static_cast<off_t>(hole_end_), length = static_cast<off_t>(read);
    if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, length) != 0) return;
    hole_end_ += read;
    budget_.give_disk_back(read);
}

}  // namespace ticketgate::http
