// The values of a file that could not be read, by their paths: what depends on them is not judged.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ticketgate::config {

class Unread {
 public:
    void add(std::string path) { paths_.insert(std::move(path)); }
    /// Is the value at this path one of them, or part of one, or does it hold one? The path of the
    /// whole file is empty.
    bool touches(std::string_view path) const;

 private:
    bool holds_one(std::string_view path) const;

    std::set<std::string, std::less<>> paths_;
};

}  // namespace ticketgate::config
