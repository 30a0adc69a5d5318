#include "app/unknown_word.hpp"

#include <iostream>

#include "app/commands.hpp"
#include "base/text.hpp"

namespace ticketgate {

int unknown(const std::string& word, const std::vector<std::string>& known) {
    const bool option = word.starts_with('-');
    const auto near = nearest(word, known);
    std::cerr << "ticketgate: " << word
              << (option ? " is not an option here" : " is not a command");
    if (!near.empty()) std::cerr << "; did you mean " << near << "?";
    std::cerr << "\nRun ticketgate --help for the commands and options.\n";
    return commands::usage;
}

}  // namespace ticketgate
