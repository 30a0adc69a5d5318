#include "app/admin_listener.hpp"

#include <cstdio>
#include <filesystem>

#include "app/exit_codes.hpp"
#include "config/admin_access.hpp"
#include "top/told.hpp"

namespace ticketgate {
namespace {

using commands::bad_config;
using commands::usage;

// Returns the admin address to ask; if there is none, sets an exit code in `code`.
std::optional<config::Listen> address_of(const Whom& whom, const config::AdminAccess& access,
                                         int& code) {
    if (!whom.admin.empty()) {
        std::string why;
        auto given = parse_admin_address(whom.admin, why);
        if (!given)
            std::fprintf(stderr, "ticketgate: --admin %s: %s\n", whom.admin.c_str(), why.c_str());
        code = usage;
        return given;
    }
    if (access.address) return access.address;
    tell(access.problems);
    code = bad_config;
    std::fprintf(stderr,
                 access.problems.empty()
                     ? "ticketgate: %s names no admin listener (no `admin:`, or `admin: off`); if "
                       "the running process has one, give its address: --admin ADDRESS\n"
                     : "ticketgate: %s does not contain a valid address of the admin listener; "
                       "give it: --admin ADDRESS\n",
                 whom.file.c_str());
    return std::nullopt;
}

}  // namespace

void tell(const std::vector<config::Problem>& problems) {
    for (const auto& problem : problems)
        std::fprintf(stderr, "%s\n", config::print(problem).c_str());
}

// Hints that the listener's address in the file may have changed after the process started.
void tell_no_answer(const AdminListener& listener, const AdminAnswer& answer) {
    std::fprintf(stderr, "ticketgate: admin %s: %s\n", listener.address.address.c_str(),
                 answer.error.c_str());
    if (!answer.remedy.empty())
        std::fprintf(stderr, "ticketgate: %s\n", answer.remedy.c_str());
    else if (!listener.named)
        std::fputs(
            "ticketgate: is the process running? If admin.address changed in the file since its "
            "start, give the old address: --admin ADDRESS\n",
            stderr);
}

std::string options_for(const Whom& whom) {
    if (!whom.admin.empty()) return "--admin " + top::quoted(whom.admin);
    return whom.file == usual_file ? "" : "-c " + top::quoted(whom.file);
}

std::string options_for_file(const std::string& file) {
    std::error_code none;
    const auto path = std::filesystem::absolute(file, none);
    return options_for({.file = none ? file : path.lexically_normal().string(), .admin = {}});
}

std::optional<AdminListener> find_listener(const Whom& whom, const config::Environment& environment,
                                           int& code) {
    auto access = config::load_admin_access(whom.file, environment);
    auto address = address_of(whom, access, code);
    if (!address) return std::nullopt;
    return AdminListener{*std::move(address), std::move(access.token), std::move(access.problems),
                         !whom.admin.empty()};
}

}  // namespace ticketgate
