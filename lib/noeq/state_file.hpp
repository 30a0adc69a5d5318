// The reserved time: no id is made for a later time before that is on the disk. Written and synced
// ahead in steps, so that a start after a crash knows that no later id was given out. One line of
// 20 bytes, overwritten in place: less than a sector, so a torn write does not happen. Owned by the
// IdSource; locked, so that no second process uses it.
#pragma once

#include <cstdint>
#include <string>

namespace ticketgate::noeq {

class StateFile {
 public:
    /// Makes the file if there is none, and syncs its name before it returns. Throws
    /// std::system_error that names it if it cannot be read or locked, or holds something else.
    explicit StateFile(const std::string& path);
    ~StateFile();
    StateFile(StateFile&& other) noexcept;
    StateFile& operator=(StateFile&&) = delete;

    /// Why the file is not a state file; empty: it is one, or there is no file. Changes and locks
    /// nothing.
    static std::string why_not(const std::string& path);

    /// No id of an earlier run has a later time; -1: there was no earlier run.
    std::int64_t reserved_ms() const { return reserved_ms_; }
    /// Writes and syncs the time; makes the file again if somebody has removed it. False: that
    /// failed, and nothing is reserved.
    bool reserve(std::int64_t until_ms);

 private:
    bool is_there() const;
    bool make_again() noexcept;
    std::string path_;
    int descriptor_ = -1;
    std::int64_t reserved_ms_ = -1;
};

}  // namespace ticketgate::noeq
