// The paths of values that could not be read from a file. Rules that need them do not apply.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ticketgate::config {

class Unread {
 public:
    void add(std::string path) { paths_.insert(std::move(path)); }
    /// True if the value at this path is unreadable, or is part of an unreadable value, or contains
    /// one. The path of the whole file is empty.
    bool touches(std::string_view path) const;

 private:
    bool holds_one(std::string_view path) const;

    std::set<std::string, std::less<>> paths_;
};

}  // namespace ticketgate::config
