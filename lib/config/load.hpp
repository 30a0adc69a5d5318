// A config file, read and checked: the whole way from text to Config. Pure but for reading the file
// itself and the body files it names; the environment comes in as an argument. Nothing throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

struct Loaded {
    std::optional<Config> config;   ///< present exactly when no problem is more than a warning
    std::vector<Problem> problems;  ///< all of them, in the order of the file
    std::optional<Config> draft;    ///< with errors: what could be read; absent if it is no YAML
    Unread unread;                  ///< what could not be read

    /// Present or not, for those who look for more problems.
    const Config* read() const { return config ? &*config : draft ? &*draft : nullptr; }
    /// Problems that others found in what was read; an error leaves no more than a draft. What
    /// depends on an unread value is dropped.
    void add(std::vector<Problem> more);
};

Loaded load_file(const std::string& path, const Environment& environment);

/// The bytes of a config file, one more than are allowed at most; absent after telling why.
std::optional<std::string> read_text(const std::string& path, std::vector<Problem>& problems);

/// `name` stands in the messages; relative body files are looked up beside it.
Loaded load_text(std::string_view text, const std::string& name, const Environment& environment);

}  // namespace ticketgate::config
