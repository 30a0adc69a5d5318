// The part of a spool that is on disk: a file without a name, written at its end and read at its
// front. Owned by a Spool, which has one only while it has bytes there. Counts disk and memory in
// the budget until it is destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "http/spool_budget.hpp"

namespace ticketgate::http {

class SpoolFile {
 public:
    /// Errors: spool_full: no file can be made, the budget has noted why; internal: no memory.
    static result<std::unique_ptr<SpoolFile>> open(SpoolBudget& budget);
    SpoolFile(SpoolBudget& budget, int file) : budget_(budget), file_(file) {}
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;
    ~SpoolFile();

    /// Writes all, or nothing counts. False: max_disk is reached, or the disk is full.
    bool append(std::string_view bytes);
    /// Returns the next bytes, read in blocks of 64 KiB; empty: the file cannot be read. Only while
    /// there are some. Valid until the next call of a non-const member. Needs no free memory: reads
    /// less at once then.
    std::string_view front();
    /// Drops at most `n` bytes; returns how many.
    std::size_t consume(std::size_t n);
    bool empty() const { return begin_ == end_ && read_.empty(); }

 private:
    void read_block();
    void punch_hole();
    SpoolBudget& budget_;
    const int file_;
    std::uint64_t begin_ = 0, end_ = 0;  // not yet read
    std::uint64_t hole_end_ = 0;         // the disk has the file up to here back
    std::unique_ptr<char[]> block_;      // for reads
    std::array<char, 4 << 10> spare_;    // for reads without memory for a block
    std::string_view read_;              // what the last read has left, in one of these
};

}  // namespace ticketgate::http
