#include "http/spool.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "base/text.hpp"

namespace ticketgate::http {
namespace {

constexpr std::size_t block_step = 2 << 10;  // most request bodies fit one such block
constexpr std::size_t max_block = 32 << 10;

std::size_t round_up(std::size_t n) {
    return (n + block_step - 1) / block_step * block_step;
}

}  // namespace

Spool::~Spool() {
    clear();
}

// Appends all or nothing: the file part goes first, since only that can fail.
error_code Spool::append(std::string_view bytes) {
    if (overflowing()) return errc::spool_full;
    const std::size_t kept = file_ ? 0 : make_room(bytes.size());
    if (kept < bytes.size()) {
        const auto failure = append_to_file(bytes.substr(kept));
        if (failure) drop_unused_blocks();
        if (failure) return failure;
    }
    fill_blocks(bytes.substr(0, kept));
    size_ += bytes.size();
    return {};
}

void Spool::overflow(std::string_view bytes) {
    overflow_.append(bytes);
    size_ += bytes.size();
    budget_->add_memory(bytes.size());
}

result<std::string_view> Spool::front(std::size_t most) {
    if (empty()) return std::string_view{};
    if (!blocks_.empty()) {
        const Block& block = blocks_.front();
        return std::string_view(block.bytes.get() + block.begin,
                                std::min(most, block.end - block.begin));
    }
    if (!file_) return std::string_view(overflow_).substr(overflow_begin_, most);
    const auto bytes = file_->front().substr(0, most);
    if (bytes.empty()) return error_code(errc::spool_lost);
    return bytes;
}

void Spool::consume(std::size_t n) {
    TG_CHECK(n <= size_);
    size_ -= n;
    while (n > 0 && !blocks_.empty()) {
        n -= consume_from(blocks_.front(), n);
        if (blocks_.front().begin == blocks_.front().end) release_block(blocks_.begin());
    }
    if (file_) n -= file_->consume(n);
    if (file_ && file_->empty()) file_.reset();  // appends go to memory again
    if (file_) settle();
    overflow_begin_ += n;
    if (overflow_begin_ != 0 && overflow_begin_ == overflow_.size()) drop_overflow();
}

void Spool::settle() {
    if (!overflowing()) return;
    if (!append_to_file(std::string_view(overflow_).substr(overflow_begin_))) drop_overflow();
}

void Spool::drop_overflow() {
    budget_->give_memory_back(overflow_.size());
    release(overflow_);
    overflow_begin_ = 0;
}

void Spool::clear() {
    while (!blocks_.empty()) release_block(blocks_.end() - 1);
    file_.reset();
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
    if (!budget_->take_memory(size)) return false;
    try {
        blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, 0, 0});
    } catch (const std::bad_alloc&) {
        budget_->give_memory_back(size);
        return false;
    }
    held_ += size;
    return true;
}

// Doubling: few blocks for a large body, and a small first block for a small body.
std::size_t Spool::next_block_size(std::size_t want) const {
    const std::size_t doubled = blocks_.empty() ? 0 : 2 * blocks_.back().capacity;
    const std::uint64_t limit = std::max(budget_->limits().memory_per_body, window_);
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
    budget_->give_memory_back(block->capacity);
    held_ -= block->capacity;
    blocks_.erase(block);
}

error_code Spool::append_to_file(std::string_view bytes) {
    const bool first = !file_;
    if (first) {
        auto opened = SpoolFile::open(*budget_);
        if (!opened) return opened.error();
        file_ = *std::move(opened);
    }
    if (file_->append(bytes)) return {};
    if (first) file_.reset();
    return errc::spool_full;
}

}  // namespace ticketgate::http
