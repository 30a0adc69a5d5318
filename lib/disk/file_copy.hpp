// Copies of files in memory, for file systems that do not tell what the system has in memory (FUSE,
// NFS, overlayfs): without a copy each read there needs a reader. A copy is a descriptor as any
// other file's (memfd_create(2)), and lives as long as it is shared; as long, the file that it was
// made of stays open.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "disk/open_file.hpp"

namespace ticketgate::disk {

/// The memory and the descriptors of all copies together. Any thread.
class CopyBudget {
 public:
    /// A client that is slow keeps the copy that it is sent, so `copies` bounds their descriptors.
    void limit(std::uint64_t bytes, std::uint64_t copies);
    /// For one more copy. False: it would exceed a limit, or an eighth of `bytes` for one file.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);
    std::uint64_t used() const { return used_; }
    std::uint64_t copies() const { return copies_; }

 private:
    std::atomic<std::uint64_t> used_{0}, most_{32ull << 20}, copies_{0}, most_copies_{128};
};

/// Reads the whole file, unless that takes longer than `most`; may wait for the disk. Null: it did,
/// there is no room, the file is shorter than it was, or the system refuses; the file itself is as
/// good as before.
SharedDescriptor copy_of(const File& file, const std::shared_ptr<CopyBudget>& budget,
                         Duration most = 50ms);

}  // namespace ticketgate::disk
