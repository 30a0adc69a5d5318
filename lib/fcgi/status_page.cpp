#include "fcgi/status_page.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace ticketgate::fcgi {
namespace {

constexpr std::string_view pool_file =
    "the pool's file (Debian: /etc/php/8.2/fpm/pool.d/www.conf) and restart php-fpm";

// Returns the address as the pool's file spells it.
std::string listen_of(std::string_view address) {
    constexpr std::string_view unix_scheme = "fastcgi+unix:", tcp_scheme = "fastcgi://";
    for (const auto scheme : {unix_scheme, tcp_scheme})
        if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
    return std::string(address);
}

std::string put(std::string_view line) {
    return "put " + std::string(line) + " into " + std::string(pool_file);
}

StatusAdvice refused(int error, const std::string& address) {
    const std::string why = "no connection to " + address + ": " + std::strerror(error);
    if (error == EACCES || error == EPERM)
        return {why,
                "let ticketgate's user write to the socket: on Debian its group is www-data; "
                "with systemd, put SupplementaryGroups=www-data into the [Service] section "
                "(systemctl edit ticketgate)"};
    return {why, "check that php-fpm runs; if it does, " +
                     put("pm.status_listen = " + listen_of(address))};
}

// The name that a page (?json) begins with; empty: it is none.
std::string_view pool_of(std::string_view page) {
    constexpr std::string_view begin = "{\"pool\":\"";
    if (!page.starts_with(begin)) return {};
    page.remove_prefix(begin.size());
    return page.substr(0, page.find('"'));
}

}  // namespace

std::string why_other_pool(std::string_view page, std::string_view at_scripts) {
    const std::string its(pool_of(page)), theirs(pool_of(at_scripts));
    if (its == theirs && run_of(page) == run_of(at_scripts)) return {};
    if (its == theirs)
        return "its page is of another php-fpm, whose pool " + its +
               " has the name of the scripts' pool, but not its start time";
    const std::string why = "its page is of pool " + its;
    return theirs.empty() ? why + ", and the pool at url has no page at that path"
                          : why + ", and the scripts at url run in pool " + theirs;
}

// The first byte of a client is behind these fields, in the list of processes.
std::string_view run_of(std::string_view page) {
    const std::string_view pool = pool_of(page);
    if (pool.empty()) return {};
    const auto end = page.find(R"(,"start since":)");
    if (end < page.find(R"("processes":)")) return page.substr(0, end);
    return page.substr(0, static_cast<std::size_t>(pool.data() + pool.size() - page.data()));
}

void ComparedRuns::add(std::string_view run) {
    const std::lock_guard lock(lock_);
    if (std::ranges::find(runs_, run) != runs_.end()) return;
    runs_.emplace_back(run);
    if (runs_.size() > most) runs_.erase(runs_.begin());
}

void ComparedRuns::forget() {
    const std::lock_guard lock(lock_);
    runs_.clear();
}

bool ComparedRuns::has(std::string_view run) const {
    const std::lock_guard lock(lock_);
    return std::ranges::find(runs_, run) != runs_.end();
}

StatusAdvice advice_for_other_pool(const std::string& address) {
    return {"the page at " + address + " is of another pool than the scripts at url",
            "let status: url be the pm.status_listen of the pool that listens at url, and reload"};
}

StatusAdvice advice_for(const StatusFailure& failure, const std::string& address,
                        const std::string& path) {
    if (failure.refusal != 0) return refused(failure.refusal, address);
    const std::string answers =
        address + " answers " + std::to_string(failure.status) + " for " + path;
    if (failure.status >= 500)
        return {answers, "php-fpm could not make the page: see php-fpm's error log"};
    // php-fpm takes any path but its status page for a script: 404, or 403 by its extension.
    if (failure.status != 0 && failure.status != 200)
        return {answers, "pm.status_path is not set in the pool, or is another path: " +
                             put("pm.status_path = " + path)};
    if (failure.status == 200)
        return {address + " answers " + path + " with something other than php-fpm's status page",
                "check that status: url is php-fpm's pm.status_listen, and status: path its "
                "pm.status_path"};
    if (failure.failure == errc::upstream_timeout)
        return {address + " does not answer in time",
                "a php-fpm that reloads answers when its scripts have ended or "
                "process_control_timeout has passed, one that is stopped never; if status: url is "
                "the address of the scripts, busy workers keep it from answering: " +
                    put("pm.status_listen = ADDRESS")};
    return {address + ": " + failure.failure.message(),
            "check that php-fpm runs and that status: url is its pm.status_listen"};
}

}  // namespace ticketgate::fcgi
