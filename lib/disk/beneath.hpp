// Opens files below a folder and nowhere else: no `..`, no symbolic link and no rename leads out of
// it (openat2 with RESOLVE_BENEATH; a kernel without it follows no link at all). Any thread.
#pragma once

#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace ticketgate::disk {

enum class Wait : std::uint8_t {
    no,  ///< fails with EAGAIN if the disk would have to be asked
    may
};

struct Opened {
    Descriptor descriptor{-1};
    int error = 0;  ///< errno, if it was not opened
};

/// Opens a folder by its absolute path, which links may be a part of, as a place to begin at.
Opened open_root(const std::string& path, Wait wait);

/// Opens for reading; a FIFO or device does not block. `path` is relative to the root and may begin
/// with slashes; empty: the root itself.
Opened open_beneath(int root, const std::string& path, Wait wait);

/// The same for a path that a link leads out of the root: opens what is below one of `folders`,
/// real absolute paths; else EXDEV. What it is opened for is decided by where it is, not by its
/// name.
Opened open_linked(int root, const std::string& path, std::span<const std::string> folders,
                   Wait wait);

}  // namespace ticketgate::disk
