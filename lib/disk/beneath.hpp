// Opens files below a folder and nowhere else: no `..`, no symbolic link and no rename leads out of
// it (openat2 with RESOLVE_BENEATH; a kernel without it follows no link at all). Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace ticketgate::disk {

enum class Wait : std::uint8_t {
    no,  ///< only finds, and fails with EAGAIN if the disk would have to be asked
    may
};

/// An open can wait although the name is known: file systems (FUSE, NFS) are asked, and scanners
/// that watch opens (fanotify). So To::read needs Wait::may; with Wait::no all is only found.
enum class To : std::uint8_t {
    find,  ///< O_PATH: to know what is there
    read
};

struct Opened {
    Descriptor descriptor{-1};
    int error = 0;  ///< errno, if it was not opened
};

/// Where an open file or folder is now. Empty: nowhere that this process can name.
std::string place_of(int descriptor);

/// Opens a folder by its absolute path, which links may be a part of, as a place to begin at.
Opened open_root(const std::string& path, Wait wait);

/// A FIFO or device does not block. `path` is relative to the root and may begin with slashes;
/// empty: the root itself.
Opened open_beneath(int root, const std::string& path, To to, Wait wait);

/// The same for a path that a link leads out of the root: opens what is below one of `folders`,
/// real absolute paths; else EXDEV. What it is opened for is decided by where it is, not by its
/// name.
Opened open_linked(int root, const std::string& path, std::span<const std::string> folders, To to,
                   Wait wait);

}  // namespace ticketgate::disk
