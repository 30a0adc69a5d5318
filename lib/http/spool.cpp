#include "http/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "base/text.hpp"

namespace ticketgate::http {
namespace {

constexpr std::size_t block_step = 2 << 10;  // most request bodies fit one such block
constexpr std::size_t max_block = 32 << 10;
constexpr std::size_t read_back_size = 64 << 10;
constexpr std::uint64_t hole_size = 1 << 20;  // a system call per MiB is cheap beside the copying

std::size_t round_up(std::size_t n) {
    return (n + block_step - 1) / block_step * block_step;
}

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

void give_back(std::atomic<std::uint64_t>& used, std::uint64_t n) {
    used.fetch_sub(n, std::memory_order_relaxed);
}

}  // namespace

bool SpoolBudget::take(std::atomic<std::uint64_t>& used, std::uint64_t limit, std::uint64_t n) {
    std::uint64_t now = used.load(std::memory_order_relaxed);
    do {
        if (n > limit || now > limit - n) return false;
    } while (!used.compare_exchange_weak(now, now + n, std::memory_order_relaxed));
    return true;
}

int SpoolBudget::fault_of(const std::string& directory) {
    const int file = open_unlinked(directory);
    if (file < 0) return errno;
    ::close(file);
    return 0;
}

Spool::~Spool() {
    clear();
}

// Appends all or nothing: the file part goes first, since only that can fail.
error_code Spool::append(std::string_view bytes) {
    if (overflowing()) return errc::spool_full;
    const std::size_t kept = file_ < 0 ? make_room(bytes.size()) : 0;
    if (kept < bytes.size() && !append_to_file(bytes.substr(kept))) {
        drop_unused_blocks();
        return errc::spool_full;
    }
    fill_blocks(bytes.substr(0, kept));
    size_ += bytes.size();
    return {};
}

void Spool::overflow(std::string_view bytes) {
    overflow_.append(bytes);
    size_ += bytes.size();
    budget_->memory_.fetch_add(bytes.size(), std::memory_order_relaxed);
}

result<std::string_view> Spool::front(std::size_t most) {
    if (empty()) return std::string_view{};
    if (blocks_.empty() && file_ < 0)
        return std::string_view(overflow_).substr(overflow_begin_, most);
    if (blocks_.empty() && !read_back()) return error_code(errc::spool_lost);
    const Block& block = blocks_.empty() ? read_back_ : blocks_.front();
    return std::string_view(block.bytes.get() + block.begin,
                            std::min(most, block.end - block.begin));
}

void Spool::consume(std::size_t n) {
    TG_CHECK(n <= size_);
    size_ -= n;
    while (n > 0 && !blocks_.empty()) {
        n -= consume_from(blocks_.front(), n);
        if (blocks_.front().begin == blocks_.front().end) release_block(blocks_.begin());
    }
    if (file_ >= 0) n -= consume_from_file(n);
    overflow_begin_ += n;
    if (overflow_begin_ != 0 && overflow_begin_ == overflow_.size()) drop_overflow();
}

std::size_t Spool::consume_from_file(std::size_t n) {
    const std::size_t read = consume_from(read_back_, n);
    const std::uint64_t skipped = std::min<std::uint64_t>(n - read, file_end_ - file_begin_);
    file_begin_ += skipped;
    if (read_back_.begin == read_back_.end) file_begin_ == file_end_ ? close_file() : punch_hole();
    return read + static_cast<std::size_t>(skipped);
}

void Spool::drop_overflow() {
    give_back(budget_->memory_, overflow_.size());
    release(overflow_);
    overflow_begin_ = 0;
}

void Spool::clear() {
    while (!blocks_.empty()) release_block(blocks_.end() - 1);
    if (file_ >= 0) close_file();
    drop_overflow();
    size_ = 0;
}

// Makes blocks for as much of `want` as the memory limit allows; returns the room.
std::size_t Spool::make_room(std::size_t want) {
    std::size_t room = blocks_.empty() ? 0 : blocks_.back().capacity - blocks_.back().end;
    while (room < want) {
        const std::size_t size = next_block_size(want - room);
        if (size == 0 || !add_block(size)) break;
        room += size;
    }
    return std::min(room, want);
}

// If the system has no memory, the bytes go to the file, as at the limit.
bool Spool::add_block(std::size_t size) {
    if (!budget_->take(budget_->memory_, budget_->limits_.max_memory, size)) return false;
    try {
        blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, 0, 0});
    } catch (const std::bad_alloc&) {
        give_back(budget_->memory_, size);
        return false;
    }
    held_ += size;
    return true;
}

// Doubling: few blocks for a large body, and a small first block for a small body.
std::size_t Spool::next_block_size(std::size_t want) const {
    const std::size_t doubled = blocks_.empty() ? 0 : 2 * blocks_.back().capacity;
    const std::uint64_t limit = std::max(budget_->limits_.memory_per_body, window_);
    const std::uint64_t allowed = limit > held_ ? limit - held_ : 0;
    const std::size_t size =
        std::clamp(round_up(std::min(want, max_block)), std::min(doubled, max_block), max_block);
    return static_cast<std::size_t>(std::min<std::uint64_t>(size, allowed));
}

void Spool::fill_blocks(std::string_view bytes) {
    auto block = std::ranges::find_if(blocks_, [](const Block& b) { return b.end < b.capacity; });
    for (; !bytes.empty(); ++block) {
        const std::size_t n = std::min(bytes.size(), block->capacity - block->end);
        std::memcpy(block->bytes.get() + block->end, bytes.data(), n);
        block->end += n;
        bytes.remove_prefix(n);
    }
}

void Spool::drop_unused_blocks() {
    while (!blocks_.empty() && blocks_.back().end == 0) release_block(blocks_.end() - 1);
}

std::size_t Spool::consume_from(Block& block, std::size_t n) {
    const std::size_t here = std::min(n, block.end - block.begin);
    block.begin += here;
    return here;
}

void Spool::release_block(std::vector<Block>::iterator block) {
    give_back(budget_->memory_, block->capacity);
    held_ -= block->capacity;
    blocks_.erase(block);
}

bool Spool::append_to_file(std::string_view bytes) {
    if (!budget_->take(budget_->disk_, budget_->limits_.max_disk, bytes.size())) return false;
    if (file_ < 0) file_ = open_unlinked(budget_->limits_.directory);
    if (file_ < 0 || !write_at(file_, bytes, file_end_)) {
        budget_->fault_.store(errno, std::memory_order_relaxed);
        give_back(budget_->disk_, bytes.size());
        if (file_ >= 0 && file_end_ == 0) close_file();
        return false;
    }
    file_end_ += bytes.size();
    return true;
}

// Counts memory, but ignores the limit: bytes on disk must come out even if memory is short.
bool Spool::read_back() {
    if (read_back_.begin != read_back_.end) return true;
    if (!read_back_.bytes) {
        read_back_.bytes = std::make_unique_for_overwrite<char[]>(read_back_size);
        read_back_.capacity = read_back_size;
        budget_->memory_.fetch_add(read_back_size, std::memory_order_relaxed);
    }
    const auto most = std::min<std::uint64_t>(read_back_size, file_end_ - file_begin_);
    read_back_.begin = 0;
    read_back_.end =
        read_at(file_, read_back_.bytes.get(), static_cast<std::size_t>(most), file_begin_);
    file_begin_ += read_back_.end;
    return read_back_.end > 0;
}

// Frees the disk of bytes already sent: a slow reader of a stream must not fill it.
void Spool::punch_hole() {
    const std::uint64_t read = (file_begin_ - hole_end_) / hole_size * hole_size;
    if (read == 0) return;
    const auto begin = static_cast<off_t>(hole_end_), length = static_cast<off_t>(read);
    if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, length) != 0) return;
    hole_end_ += read;
    give_back(budget_->disk_, read);
}

// The file has no name, so closing it frees its space; appends go to memory again.
void Spool::close_file() {
    ::close(file_);
    file_ = -1;
    give_back(budget_->disk_, file_end_ - hole_end_);
    give_back(budget_->memory_, read_back_.capacity);
    read_back_ = {};
    file_begin_ = file_end_ = hole_end_ = 0;
}

}  // namespace ticketgate::http
