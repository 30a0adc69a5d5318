// A first-in-first-out buffer of bytes: in memory up to a threshold, then in an unlinked temporary
// file. One writer and one reader on one loop. All loops share a SpoolBudget with the totals of all
// spools. Owned by a Request; its destructor returns memory and disk to the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "http/spool_file.hpp"

namespace ticketgate::http {

class Spool {
 public:
    explicit Spool(SpoolBudget& budget) : budget_(&budget) {}
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    ~Spool();

    /// Appends all of it, or nothing. Errors: spool_full (disk limit reached, disk full, or no file
    /// can be made), also while overflowing(); internal: no memory for a file either.
    [[nodiscard]] error_code append(std::string_view bytes);

    /// Takes bytes past every limit, for a writer that cannot give them back. It must stop while
    /// overflowing(): until the file has room for them, or the spool is drained.
    void overflow(std::string_view bytes);
    bool overflowing() const { return !overflow_.empty(); }
    /// Tries to put these bytes into the file: another spool may have freed the disk.
    void settle();

    /// Returns the contiguous bytes at the front, at most `most`; empty if the spool is empty.
    /// Valid until the next call of a non-const member. Reads file contents back in blocks of 64
    /// KiB, of 4 KiB at the limit of memory. Error: spool_lost if the file cannot be read.
    result<std::string_view> front(std::size_t most = 64 << 10);
    /// Drops `n` bytes at the front, at most size(). Closes a drained file: appends go to memory
    /// again.
    void consume(std::size_t n);

    /// The writer stops at about this many bytes, and they stay in memory: a stream that only
    /// passes through does not need a file.
    void stream_window(std::uint64_t bytes) { window_ = bytes; }

    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool on_disk() const { return file_ != nullptr; }

    /// Releases everything now.
    void clear();

 private:
    struct Block {
        std::unique_ptr<char[]> bytes;
        std::size_t capacity = 0, begin = 0, end = 0;
    };
    std::size_t make_room(std::size_t want);
    bool add_block(std::size_t size);
    std::size_t next_block_size(std::size_t want) const;
    void fill_blocks(std::string_view bytes);
    void drop_unused_blocks();
    static std::size_t consume_from(Block& block, std::size_t n);
    void drop_overflow();
    void release_block(std::vector<Block>::iterator block);
    error_code append_to_file(std::string_view bytes);

    SpoolBudget* budget_;
    std::vector<Block> blocks_;  // in order; the first is read, the last is written
    std::unique_ptr<SpoolFile>
        file_;              // the bytes after the blocks; while open, all appends go there
    std::string overflow_;  // follows the file; counts as memory
    std::size_t overflow_begin_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t window_ = 0;
    std::uint64_t held_ = 0;  // capacity of the blocks
};

}  // namespace ticketgate::http
