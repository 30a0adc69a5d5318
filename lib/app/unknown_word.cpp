#include "app/unknown_word.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/commands.hpp"
#include "base/text.hpp"

namespace ticketgate {

std::vector<std::string> names_of(CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands(nullptr))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

int unknown(const std::string& word, const std::vector<std::string>& known) {
    const bool option = word.starts_with('-');
    const auto near = nearest(word, known);
    std::cerr << "ticketgate: " << word
              << (option ? " is not an option here" : " is not a command");
    if (!near.empty()) std::cerr << "; did you mean " << near << "?";
    std::cerr << "\nRun ticketgate --help for the commands and options.\n";
    return commands::usage;
}

int cluster_needs_a_word() {
    std::cerr << "ticketgate: cluster needs a command: init or status\n";
    return commands::usage;
}

}  // namespace ticketgate
