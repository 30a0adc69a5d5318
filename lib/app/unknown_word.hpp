// What the command line says of a word that it does not know.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ticketgate {

std::vector<std::string> names_of(CLI::App& app);  ///< of its commands
std::vector<std::string> options_of(const CLI::App& app);

/// Prints the nearest known word as a hint; returns 2.
int unknown(const std::string& word, const std::vector<std::string>& known);
/// These words begin with an option that stands before its command. Says where it goes; returns 2.
/// Null: neither `app` nor a command of it has such an option.
std::optional<int> misplaced(const std::vector<std::string>& words, const CLI::App& app);
/// Says that `cluster` alone is no command; returns 2.
int cluster_needs_a_word();

}  // namespace ticketgate
