// What is wrong with a config file: every finding with its place, never only the first one.
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
    std::string message;                 ///< what is wrong and what to do
    bool warning = false;                ///< the config works, but probably not as meant
    bool operator==(const Problem&) const = default;
};

/// On one line, without control characters:
/// `config.yaml:12:5: routes[0].wait_timout: unknown key; did you mean wait_timeout?`
std::string print(const Problem& problem);

/// Is there anything that is more than a warning?
bool has_errors(const std::vector<Problem>& problems);

/// Collects problems in the order they are found; sorted by place at the end of a load.
class Problems {
 public:
    void error(const Mark& at, std::string path, std::string message);
    void warn(const Mark& at, std::string path, std::string message);
    /// In the order of the file.
    std::vector<Problem> take();
    bool any_errors() const { return has_errors(list_); }

 private:
    std::vector<Problem> list_;
};

/// `; did you mean NAME?`, or empty when `near` is empty.
std::string hint(std::string_view near);

}  // namespace ticketgate::config
