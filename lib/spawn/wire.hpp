// Makes the sockets and the pipe of a new worker. They are closed with this, except what is taken.
#pragma once

#include <string>

#include "base/descriptor.hpp"
#include "spawn/child.hpp"

namespace ticketgate::spawn {

struct Wires {
    Descriptor input{-1};   ///< for the worker's descriptor 0
    Descriptor path{-1};    ///< names the listening socket, for /proc/self/fd
    Descriptor ours{-1};    ///< ticketgate's end of the control socket
    Descriptor theirs{-1};  ///< the worker's
    Descriptor output{-1};  ///< for the worker's descriptors 1 and 2
    Descriptor pipe{-1};    ///< what it writes there
};

/// A listening socket without a name in the file system: nobody but this process can connect, and
/// nothing is left behind. `directory` must be writable for a moment.
[[nodiscard]] bool listen_at(const std::string& directory, Wires& wires, NotStarted& why);
[[nodiscard]] bool make_control(Wires& wires, NotStarted& why);
[[nodiscard]] bool make_pipe(Wires& wires, NotStarted& why);

}  // namespace ticketgate::spawn
