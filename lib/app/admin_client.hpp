// Sends requests to the admin listener of a running process; for the commands.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/model.hpp"

namespace ticketgate {

struct AdminAnswer {
    unsigned status = 0;
    std::string body;
    std::string error;   ///< why the admin listener gave no answer; empty if it did
    std::string remedy;  ///< may be empty
};

/// Return the target of an admin page for a queue; the name may have any characters.
std::string queue_target(const std::string& queue);
/// `request_id`: of the request to release; empty: whichever has the number.
std::string release_target(const std::string& queue, std::uint64_t number,
                           const std::string& request_id);
/// `how_long`: a duration; empty: until it is resumed.
std::string pause_target(const std::string& queue, const std::string& how_long);
std::string resume_target(const std::string& queue);

struct AdminQuestion {
    std::string target;
    bool write = false;      ///< POST
    std::string token = {};  ///< may be empty
};

/// Parses `host:port` (a name or an IP address) or `unix:/path`; if nothing, `why` has the reason.
std::optional<config::Listen> parse_admin_address(std::string_view text, std::string& why);

/// Sends one request, and waits a few seconds at most. For a listener on all addresses, it connects
/// to loopback; it resolves a name.
AdminAnswer ask(const config::Listen& admin, const AdminQuestion& question);

/// The same on a loop: `on_answer` runs there, once. Waits only to resolve a name.
using OnAnswer = std::function<void(AdminAnswer)>;
void ask_later(boost::asio::io_context& io, const config::Listen& admin,
               const AdminQuestion& question, OnAnswer on_answer);

}  // namespace ticketgate
