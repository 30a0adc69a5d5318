// The problems of a config file, each with its place. All of them are reported, not only the first.
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
    std::string message;                 ///< the fault and its remedy
    bool warning = false;                ///< valid, but probably not what was meant
    bool operator==(const Problem&) const = default;
};

/// Prints on one line, without control characters:
/// `config.yaml:12:5: routes[0].wait_timout: unknown key; did you mean wait_timeout?`
std::string print(const Problem& problem);

/// True if any problem is not a warning.
bool has_errors(const std::vector<Problem>& problems);

/// Sorts by place in the file; problems without a place come first.
void sort(std::vector<Problem>& problems);

/// Collects problems in the order of discovery; a load sorts them by place at its end.
class Problems {
 public:
    Problems() = default;
    /// For a later pass: drops problems with values that an earlier pass could not read.
    explicit Problems(Unread earlier) : earlier_(std::move(earlier)) {}
    /// False: an earlier pass could not read all of it, so a rule that needs it does not apply.
    bool knows(std::string_view path) const { return !earlier_.touches(path); }

    /// The same of this pass so far.
    bool has_read(std::string_view path) const { return !unread_.touches(path); }

    void error(const Mark& at, std::string path, std::string message);
    void warn(const Mark& at, std::string path, std::string message);
    void add(std::vector<Problem> problems);
    /// The value at this path is missing because its key is misspelt.
    void misspelt(std::string path) { unread_.add(std::move(path)); }
    /// The paths of every error so far, and of misspelt keys.
    const Unread& unread() const { return unread_; }
    /// Returns the problems in file order.
    std::vector<Problem> take();
    bool any_errors() const { return has_errors(list_); }

 private:
    Unread earlier_, unread_;
    std::vector<Problem> list_;
};

/// Returns `; did you mean NAME?`, or nothing if `near` is empty.
std::string hint(std::string_view near);

}  // namespace ticketgate::config
