// Loads and checks a config file, from text to Config. Pure except for reading the file and the
// body files it names; the environment is an argument. Nothing throws.
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
    std::optional<Config> config;   ///< present exactly if all problems are warnings
    std::vector<Problem> problems;  ///< all of them, in file order
    std::optional<Config> draft;    ///< with errors: what could be read; absent without YAML
    Unread unread;                  ///< what could not be read
    /// The bodies and secrets that the keys name, also those that could not be read.
    std::vector<std::string> text_files;

    /// The config or the draft, for further checks; null without both.
    const Config* read() const { return config ? &*config : draft ? &*draft : nullptr; }
    /// Adds problems that further checks found; an error turns the config into a draft. Drops what
    /// depends on an unread value.
    void add(std::vector<Problem> more);
};

Loaded load_file(const std::string& path, const Environment& environment);

/// Reads at most one byte more than allowed; on failure, adds a problem and returns nothing.
std::optional<std::string> read_text(const std::string& path, std::vector<Problem>& problems);

/// `name` appears in the messages; body files are relative to its folder.
Loaded load_text(std::string_view text, const std::string& name, const Environment& environment);

}  // namespace ticketgate::config
