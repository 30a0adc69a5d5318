// A first-in-first-out buffer of bytes: in memory up to a threshold, then in an unlinked temporary
// file. One writer and one reader on one loop. All loops share a SpoolBudget with the totals of all
// spools. Owned by a Request; its destructor returns memory and disk to the budget.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ticketgate::http {

/// The limits and current use of all spools together; any thread (relaxed atomics).
class SpoolBudget {
 public:
    struct Limits {
        std::uint64_t memory_per_body = 64 << 10, max_memory = 64ull << 20, max_disk = 4ull << 30;
        std::string directory = "/tmp";
    };
    explicit SpoolBudget(Limits limits) : limits_(std::move(limits)) {}
    const Limits& limits() const { return limits_; }
    std::uint64_t memory() const { return memory_.load(std::memory_order_relaxed); }
    std::uint64_t disk() const { return disk_.load(std::memory_order_relaxed); }
    /// errno of the last failure to make or write a file; 0: only limits were reached.
    int fault() const { return fault_.load(std::memory_order_relaxed); }
    /// Tries to make a file there. Returns errno, or 0.
    static int fault_of(const std::string& directory);

 private:
    friend class Spool;
    bool take(std::atomic<std::uint64_t>& used, std::uint64_t limit, std::uint64_t n);
    Limits limits_;
    std::atomic<std::uint64_t> memory_{0}, disk_{0};
    std::atomic<int> fault_{0};
};

class Spool {
 public:
    explicit Spool(SpoolBudget& budget) : budget_(&budget) {}
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    ~Spool();

    /// Appends all of it, or nothing. Error: spool_full (disk limit reached, disk full, or no file
    /// can be made), also while overflowing().
    [[nodiscard]] error_code append(std::string_view bytes);

    /// Takes bytes past every limit, for a writer that cannot give them back. It must stop until
    /// the spool is drained.
    void overflow(std::string_view bytes);
    bool overflowing() const { return !overflow_.empty(); }

    /// Returns the contiguous bytes at the front, at most `most`; empty if the spool is empty.
    /// Valid until the next call of a non-const member. Reads file contents back in blocks of 64
    /// KiB; such a block counts as memory in use but ignores the limit. Error: spool_lost if the
    /// file cannot be read.
    result<std::string_view> front(std::size_t most = 64 << 10);
    /// Drops `n` bytes at the front, at most size(). Closes a drained file: appends go to memory
    /// again.
    void consume(std::size_t n);

    /// The writer stops at about this many bytes, and they stay in memory: a stream that only
    /// passes through does not need a file.
    void stream_window(std::uint64_t bytes) { window_ = bytes; }

    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool on_disk() const { return file_ >= 0; }

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
    std::size_t consume_from_file(std::size_t n);
    void drop_overflow();
    void release_block(std::vector<Block>::iterator block);
    bool append_to_file(std::string_view bytes);
    bool read_back();
    void punch_hole();
    void close_file();

    SpoolBudget* budget_;
    std::vector<Block> blocks_;  // in order; the first is read, the last is written
    int file_ = -1;  // holds the bytes after the blocks; while open, all appends go there
    std::uint64_t file_begin_ = 0, file_end_ = 0;  // not yet read back
    Block read_back_;                              // bytes of the file being read
    std::string overflow_;                         // follows the file; counts as memory
    std::size_t overflow_begin_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t window_ = 0;
    std::uint64_t held_ = 0;      // capacity of the blocks
    std::uint64_t hole_end_ = 0;  // the disk has the file up to here back
};

}  // namespace ticketgate::http
