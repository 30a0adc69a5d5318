#include "fcgi/workers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "fcgi/worker_table.hpp"

namespace ticketgate::fcgi {
namespace {

// fpm_scoreboard.h: the space for each text in php-fpm's table, without the final zero.
constexpr std::size_t query_room = 511, method_room = 15;
// The table's times come from another clock. A difference of up to this much never rules a worker
// out.
constexpr Duration grain = 1ms;

// Keeps only the characters that json_encode() never changes.
std::string plain(std::string_view name) {
    std::string out;
    std::ranges::copy_if(name, std::back_inserter(out),
                         [](char c) { return c > ' ' && c < '\x7f'; });
    return out;
}

// The bytes with which a client can break a table that does not escape them: after such a byte, the
// client controls the rest of its entry.
constexpr std::string_view breaks = "\"\\";

// Undoes HTML escapes: older versions of php-fpm escape the query for HTML, in JSON too.
std::string without_entities(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#039;", '\''}}};
    std::string out;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            entities, [&](const auto& entity) { return text.starts_with(entity.first); });
        const bool is_one = found != entities.end();
        out += is_one ? found->second : text.front();
        text.remove_prefix(is_one ? found->first.size() : 1);
    }
    return out;
}

// php-fpm shows "-" in place of an empty name.
bool may_be_name(std::string_view shown, const Script& script) {
    return shown == "-" || plain(script.name + script.path_info).starts_with(shown) ||
           plain(script.path_info).starts_with(shown);
}

// True if a table that escapes everything shows our whole URI.
bool shows_all(std::string_view shown, const Trace& trace, std::string_view query) {
    if (trace.query.empty()) return may_be_name(shown, trace.script);
    const auto asked = "?" + std::string(query);
    if (!shown.ends_with(asked)) return false;
    return may_be_name(shown.substr(0, shown.size() - asked.size()), trace.script);
}

// True if an unescaped table shows our URI up to the first byte that breaks it.
bool shows_beginning(std::string_view shown, const Trace& trace, std::string_view query) {
    if (plain(trace.script.name + trace.script.path_info).find_first_of(breaks) !=
        std::string::npos)
        return true;  // the rest may be anything
    const auto end = query.find_first_of(breaks);
    if (end == std::string_view::npos) return false;
    const auto asked = "?" + std::string(query.substr(0, end));
    for (auto at = shown.find(asked); at != std::string_view::npos; at = shown.find(asked, at + 1))
        if (may_be_name(shown.substr(0, at), trace.script)) return true;
    return false;
}

bool may_show(std::string_view uri, const Trace& trace) {
    const std::string shown = plain(uri), unescaped = plain(without_entities(uri));
    const std::string query = plain(trace.query.substr(0, query_room));
    const auto shows = [&](const std::string& text) {
        return shows_all(text, trace, query) || shows_beginning(text, trace, query);
    };
    return shows(shown) || shows(unescaped);
}

// Drops impossible times: workers write while the table is read; a negative time looks huge.
std::optional<Duration> believable(std::optional<std::int64_t> microseconds) {
    constexpr std::int64_t longest = std::chrono::microseconds(24h * 365).count();
    if (!microseconds || *microseconds < 0 || *microseconds > longest) return std::nullopt;
    return std::chrono::microseconds(*microseconds);
}

bool may_run(const WorkerEntry& worker, const Trace& trace, const Look& look) {
    // Idle: no connection; Reading headers: no request yet. Ours has its answer.
    if (worker.state == "Idle" || worker.state == "Reading headers") return false;
    // With an unknown start time, only the method and URI can rule a worker out.
    if (const auto running = believable(worker.microseconds)) {
        if (look.asked - *running > trace.ended + grain) return false;
        if (look.answered - *running < trace.sent - grain) return false;
    }
    return worker.method == trace.method.substr(0, method_room) && may_show(worker.uri, trace);
}

}  // namespace

result<Working> still_runs(std::string_view status_json, const Trace& trace, const Look& look) {
    const auto workers = read_worker_table(status_json);
    if (!workers) return workers.error();
    const bool may = std::ranges::any_of(
        *workers, [&](const WorkerEntry& worker) { return may_run(worker, trace, look); });
    return may ? Working::perhaps : Working::no;
}

}  // namespace ticketgate::fcgi
