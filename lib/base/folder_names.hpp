// Goes through the names in a folder, in no order. Without memory, constructing it fails with
// ENOMEM and nothing is thrown: std::filesystem's iterators would end the process, because their
// increment() allocates within a noexcept call (libstdc++).
#pragma once

#include <dirent.h>

#include <cerrno>

namespace ticketgate {

class FolderNames {
 public:
    explicit FolderNames(const char* path) noexcept
        : folder_(::opendir(path)), error_(folder_ == nullptr ? errno : 0) {}
    ~FolderNames() {
        if (folder_ != nullptr) ::closedir(folder_);
    }
    FolderNames(const FolderNames&) = delete;
    FolderNames& operator=(const FolderNames&) = delete;

    /// The next name, valid until the next call; null: there is none, or error() is set. The names
    /// `.` and `..` are among them.
    const char* next() noexcept {
        if (folder_ == nullptr) return nullptr;
        errno = 0;
        const dirent* const entry = ::readdir(folder_);
        if (entry == nullptr) error_ = errno;
        return entry == nullptr ? nullptr : entry->d_name;
    }
    /// errno; 0: every name so far was read.
    int error() const noexcept { return error_; }

 private:
    DIR* const folder_;
    int error_;
};

}  // namespace ticketgate
