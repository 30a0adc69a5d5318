// Starts this program once more, from its file and with its arguments: the new process of an
// upgrade. Control thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.hpp"

namespace ticketgate {

/// The variable that names the new process's end of the link.
inline constexpr const char* link_variable = "TICKETGATE_UPGRADE_LINK";

/// The file of this program, as it was at the first call: at the start of the process.
const std::string& program();

/// Returns its pid. Throws std::system_error that names the program. The child gets `link`, the
/// environment, and standard input, output and error; it starts with all signals of a service held.
pid_t start_new_process(const Descriptor& link);

}  // namespace ticketgate
