// The time that ids are promised not to go beyond without a word to the disk: written and synced
// ahead in steps, so that a start after a crash knows that nothing later was given out. One line of
// 20 digits, overwritten in place: less than a sector, so a torn write does not happen. Owned by
// the IdSource; locked, so that no second process counts beside us.
#pragma once

#include <cstdint>
#include <string>

namespace ticketgate::noeq {

class StateFile {
 public:
    /// Makes the file if there is none, its name on the disk before this returns; throws
    /// std::system_error that names it: it cannot be read or locked, or holds something else.
    explicit StateFile(const std::string& path);
    ~StateFile();
    StateFile(StateFile&& other) noexcept;
    StateFile& operator=(StateFile&&) = delete;

    /// Why what is there is no state file; empty: it is one, or nothing is there. Changes and locks
    /// nothing.
    static std::string why_not(const std::string& path);

    /// No id of any run before is for a later time; -1: there was none.
    std::int64_t reserved_ms() const { return reserved_ms_; }
    /// On the disk when it returns. False: it could not be written, nothing is promised.
    bool reserve(std::int64_t until_ms);

 private:
    int descriptor_ = -1;
    std::int64_t reserved_ms_ = -1;
};

}  // namespace ticketgate::noeq
