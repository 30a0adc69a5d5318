// Asks the admin listener of a running process; for the commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/model.hpp"

namespace ticketgate {

struct AdminAnswer {
    unsigned status = 0;
    std::string body;
    std::string error;   ///< why there is no answer of the admin listener; empty: there is one
    std::string remedy;  ///< may be empty
};

/// The pages of the admin listener for a queue; the name may have any characters.
std::string queue_target(const std::string& queue);
std::string release_target(const std::string& queue, std::uint64_t number);

struct AdminQuestion {
    std::string target;
    bool write = false;      ///< POST
    std::string token = {};  ///< may be empty
};

/// `host:port` (a name or an IP address) or `unix:/path`; a reason in `why` when absent.
std::optional<config::Listen> parse_admin_address(std::string_view text, std::string& why);

/// One request, at most a few seconds. A listener on all addresses is asked on loopback; a name is
/// looked up.
AdminAnswer ask(const config::Listen& admin, const AdminQuestion& question);

}  // namespace ticketgate
