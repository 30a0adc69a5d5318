// What a command needs of a config file to ask the process that runs by it: the `admin:` section
// alone. A file that is half edited, or that names a variable this shell does not have, must not
// keep an operator from the running process, so whatever is wrong elsewhere does not count. Pure
// but for reading the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.hpp"
#include "config/model.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

struct AdminAccess {
    std::optional<Listen> address;  ///< absent: off, not there, or told in `problems`
    std::string token;              ///< empty: none, or told in `problems`
    std::vector<Problem> problems;  ///< of `admin:`; of the whole file if there is none in it
};

AdminAccess load_admin_access(const std::string& path, const Environment& environment);

/// `name` stands in the messages.
AdminAccess admin_access(std::string_view text, const std::string& name,
                         const Environment& environment);

}  // namespace ticketgate::config
