// The end of a command's output.
#pragma once

namespace ticketgate {

/// Fails the command if its output was lost: a full disk, or a reader that has gone.
int after_output(int code);

}  // namespace ticketgate
