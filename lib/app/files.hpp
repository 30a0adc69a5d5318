// Checks the files that a start opens for writing, so that `check` reports what the start would
// refuse. Creates, writes and locks nothing, so a running process may have the files open. Valid
// for the current user only: another user may have other permissions. Control thread.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// Returns errors, each with its place: log.access_file, id_service.state_file or the unix socket
/// of a listener cannot be opened or created, the state file has foreign content, or the access log
/// is a file that the config is read from: `file`, the config itself, `read`, or one that it names
/// for TLS or as a state.
std::vector<config::Problem> file_problems(const config::Config& config, const std::string& file,
                                           const std::vector<std::string>& read);

}  // namespace ticketgate
