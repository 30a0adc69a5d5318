// The environment variables that a config file reads its secrets from.
#pragma once

#include <set>
#include <string>

#include "config/tree.hpp"

namespace ticketgate::config {

/// Returns the names of the variables in the tokens, secrets and passwords of a file, such as
/// `ADMIN_TOKEN` for `admin: { token: "${ADMIN_TOKEN}" }`.
std::set<std::string> secret_variables(const Node& root);

}  // namespace ticketgate::config
