// The problems of a config file, each with its place. All of them are reported, not only the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/model.hpp"

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

/// Collects problems in the order of discovery; a load sorts them by place at its end.
class Problems {
 public:
    void error(const Mark& at, std::string path, std::string message);
    void warn(const Mark& at, std::string path, std::string message);
    /// Returns the problems in file order.
    std::vector<Problem> take();
    bool any_errors() const { return has_errors(list_); }

 private:
    std::vector<Problem> list_;
};

/// Returns `; did you mean NAME?`, or nothing if `near` is empty.
std::string hint(std::string_view near);

}  // namespace ticketgate::config
