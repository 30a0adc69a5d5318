// What is wrong with a config file: every finding with its place, never only the first one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/model.hpp"
#include "config/unread.hpp"

namespace ticketgate::config {

struct Problem {
    std::string file;
    std::uint32_t line = 0, column = 0;  ///< from 1; 0: the file as a whole
    std::string path;                    ///< `routes[0].wait_timeout`; empty: the file as a whole
    std::string message;                 ///< what is wrong and what to do
    bool warning = false;                ///< the config works, but probably not as meant
    bool operator==(const Problem&) const = default;
};

/// On one line, without control characters:
/// `config.yaml:12:5: routes[0].wait_timout: unknown key; did you mean wait_timeout?`
std::string print(const Problem& problem);

/// Is there anything that is more than a warning?
bool has_errors(const std::vector<Problem>& problems);

/// Sorts by place in the file; what has no place stands first.
void sort(std::vector<Problem>& problems);

/// Collects problems in the order they are found; sorted by place at the end of a load.
class Problems {
 public:
    Problems() = default;
    /// Of a later pass. It drops what is said of values that an earlier pass could not read.
    explicit Problems(Unread earlier) : earlier_(std::move(earlier)) {}
    /// False: an earlier pass could not read all of it, so a rule that needs it is not judged.
    bool knows(std::string_view path) const { return !earlier_.touches(path); }

    void error(const Mark& at, std::string path, std::string message);
    void warn(const Mark& at, std::string path, std::string message);
    void add(std::vector<Problem> problems);
    /// The value at this path is not there, as its key is misspelt.
    void misspelt(std::string path) { unread_.add(std::move(path)); }
    /// Of every error so far, and of misspelt keys.
    const Unread& unread() const { return unread_; }
    /// In the order of the file.
    std::vector<Problem> take();
    bool any_errors() const { return has_errors(list_); }

 private:
    Unread earlier_, unread_;
    std::vector<Problem> list_;
};

/// `; did you mean NAME?`, or empty when `near` is empty.
std::string hint(std::string_view near);

}  // namespace ticketgate::config
