// Finds the admin listener of the process that a command is about, and tells why there is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_client.hpp"
#include "config/environment.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// The running process that a command asks.
struct Whom {
    std::string file;   ///< its config; only `admin:` is read, errors elsewhere do not matter
    std::string admin;  ///< address of its admin listener; empty: the one in the file
};

inline constexpr const char* usual_file = "/etc/ticketgate/ticketgate.yaml";

/// The options with which another command asks the same process; empty: it needs none.
std::string options_for(const Whom& whom);
/// The same for this config, from any folder.
std::string options_for_file(const std::string& file);

struct AdminListener {
    config::Listen address;
    std::string token;                      ///< may be empty
    std::vector<config::Problem> problems;  ///< of `admin:`; the token may be missing
    bool named = false;                     ///< by --admin, not by the file
};

/// Nothing: stderr says why, and `code` is the command's exit code.
std::optional<AdminListener> find_listener(const Whom& whom, const config::Environment& environment,
                                           int& code);

/// Print on stderr.
void tell(const std::vector<config::Problem>& problems);
void tell_no_answer(const AdminListener& listener, const AdminAnswer& answer);

}  // namespace ticketgate
