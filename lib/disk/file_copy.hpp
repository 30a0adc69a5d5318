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

/// The memory of all copies together. Any thread.
class CopyMemory {
 public:
    void limit(std::uint64_t most) { most_ = most; }
    /// False: it would be more than the limit, or than an eighth of it for one file.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes) { used_ -= bytes; }
    std::uint64_t used() const { return used_; }

 private:
    std::atomic<std::uint64_t> used_{0}, most_{32ull << 20};
};

/// Reads the whole file, unless that takes longer than `most`; may wait for the disk. Null: it did,
/// there is no room, the file is shorter than it was, or the system refuses; the file itself is as
/// good as before.
SharedDescriptor copy_of(const File& file, const std::shared_ptr<CopyMemory>& memory,
                         Duration most = 50ms);

}  // namespace ticketgate::disk
