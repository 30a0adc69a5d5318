#include "app/unknown_word.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/commands.hpp"
#include "base/text.hpp"

namespace ticketgate {
namespace {

struct Found {
    const CLI::App* command;
    const CLI::Option* option;
};

// In this command or one below it.
std::optional<Found> find_option(const CLI::App& app, const std::string& name) {
    if (const auto* option = app.get_option_no_throw(name)) return Found{&app, option};
    for (const auto* below : app.get_subcommands(nullptr))
        if (const auto found = find_option(*below, name)) return found;
    return std::nullopt;
}

std::string full_name(const CLI::App& app) {
    const auto* const above = app.get_parent();
    return above == nullptr ? "ticketgate" : full_name(*above) + " " + app.get_name();
}

}  // namespace

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

std::optional<int> misplaced(const std::vector<std::string>& words, const CLI::App& app) {
    const auto name = words.front().substr(0, words.front().find('='));
    if (!name.starts_with('-')) return std::nullopt;
    const auto found = find_option(app, name);
    if (!found) return std::nullopt;
    std::string given = words.front();
    const bool has_value = name == given && found->option->get_items_expected_max() > 0;
    if (has_value && words.size() > 1) given += " " + words[1];
    const auto command = full_name(*found->command);
    std::cerr << "ticketgate: " << given << " goes behind the command: " << command << " " << given
              << "\nRun " << command << " --help for its options.\n";
    return commands::usage;
}

int cluster_needs_a_word() {
    std::cerr << "ticketgate: cluster needs a command: init or status\n";
    return commands::usage;
}

}  // namespace ticketgate
