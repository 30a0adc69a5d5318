// Files that were opened a moment ago, so that a small file that many clients want is opened once a
// second and not once a request. A name is looked up each time; what it leads to is compared with
// what is open. Belongs to one loop; its thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/descriptor.hpp"

namespace ticketgate::disk {

using SharedDescriptor = std::shared_ptr<const Descriptor>;

/// Identifies the file behind a descriptor. While a file is open its number (`inode`) is no
/// other's, and each change of its bytes, its size or its rights changes the rest.
struct Identity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_ns = 0, mtime_ns = 0;
    bool operator==(const Identity&) const = default;
};

struct Seen {
    enum class Kind : std::uint8_t { file, folder, other } kind = Kind::other;
    Identity identity{};
};

/// From what the system has in memory: a file system that another machine has is not asked.
/// Nothing, with errno: it cannot be told.
std::optional<Seen> look_at(int descriptor);

/// Where the bytes behind a descriptor are, as far as the system tells.
enum class Place : std::uint8_t {
    told,    ///< the system tells what it has in memory
    untold,  ///< it does not (FUSE, NFS, overlayfs): each read may wait
    memory   ///< a copy: no read waits
};

struct OpenedFile {
    Identity identity;
    SharedDescriptor descriptor;
    Place place = Place::told;
};

class KeptFiles {
 public:
    /// Nothing: it must be opened where a call may wait; keep() then keeps it.
    std::optional<OpenedFile> find(const Identity& identity, Time now);
    /// Unless the same one is kept already.
    void keep(OpenedFile file, Time now);
    /// True once for each file that was found again: the caller copies it, for replace(). Never for
    /// one that changed within two seconds before `today`: the next change might be of the same
    /// tick of its clock, and not be noticed.
    bool wants_copy(const Identity& identity, Time now, WallTime today);
    /// Keeps it in place of the one with the same identity.
    void replace(OpenedFile copy, Time now);
    /// Closes those whose time is over; returns after which time there are others.
    Duration forget(Time now);
    std::size_t size() const { return entries_.size(); }

 private:
    struct Entry {
        OpenedFile file;
        Time until{};
        enum class Copy : std::uint8_t { unwanted, wanted, asked } copy = Copy::unwanted;
    };
    Entry* entry_of(const Identity& identity, Time now);
    void close_beyond_limit();
    std::deque<Entry> entries_;  // the oldest first
};

}  // namespace ticketgate::disk
