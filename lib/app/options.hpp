// Parses the command line.
#pragma once

namespace ticketgate {

/// Parses the arguments, runs the command, returns the exit code.
int run_command_line(int argc, char** argv);

}  // namespace ticketgate
