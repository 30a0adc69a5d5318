// The settings of the workers that ticketgate starts itself; a part of model.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::config {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Spelled `unlimited` in the file.
inline constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

enum class WorkerTransport { socket, descriptors };

/// FastCGI workers that ticketgate starts itself.
struct Workers {
    std::vector<std::string> command;  ///< the program and its arguments
    WorkerTransport transport = WorkerTransport::socket;
    std::uint32_t min = 1;
    std::uint32_t max = unlimited;           ///< `unlimited` is `auto`: see most_workers()
    milliseconds idle_timeout = 60s;         ///< above `min`
    std::uint32_t max_requests = unlimited;  ///< then a worker is replaced
    milliseconds start_timeout = 10s;        ///< until it waits for a request
    milliseconds stop_timeout = 10s;         ///< from SIGTERM to SIGKILL
    std::string user, group;                 ///< empty: ticketgate's own
    std::string directory;                   ///< empty: ticketgate's
    std::string umask;                       ///< octal; empty: ticketgate's
    Headers environment;
    bool clear_environment = false;  ///< only PATH and `environment`
    Headers rlimits;                 ///< names of setrlimit(2) in lower case, and numbers
    bool operator==(const Workers&) const = default;
};

}  // namespace ticketgate::config
