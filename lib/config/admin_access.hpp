// Reads only the `admin:` section of a config file: what a command needs to ask the running
// process. A half-edited file, or one that names a variable unset in this shell, must not keep an
// operator from that process, so errors elsewhere in the file do not matter. Pure except for
// reading the file.
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
    std::optional<Listen> address;  ///< absent: off, not in the file, or reported in `problems`
    std::string token;              ///< empty: none, or reported in `problems`
    std::vector<Problem> problems;  ///< of `admin:`; if the file has no `admin:`, of the whole file
};

AdminAccess load_admin_access(const std::string& path, const Environment& environment);

/// `name` appears in the messages.
AdminAccess admin_access(std::string_view text, const std::string& name,
                         const Environment& environment);

}  // namespace ticketgate::config
