#include "fcgi/workers.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <optional>

namespace ticketgate::fcgi {
namespace {

namespace json = boost::json;

// fpm_scoreboard.h: what its table holds of each name, without the closing zero.
constexpr std::size_t query_room = 511, method_room = 15;
// The table is in microseconds of another clock's ticks; a worker is never called too young or too
// old for so little.
constexpr Duration grain = 1ms;

// What json_encode() surely keeps of a name.
std::string plain(std::string_view name) {
    std::string out;
    std::ranges::copy_if(name, std::back_inserter(out),
                         [](char c) { return c > ' ' && c < '\x7f'; });
    return out;
}

bool may_show(std::string_view uri, const Trace& trace) {
    std::string shown = plain(uri);
    if (!trace.query.empty()) {
        const auto query = "?" + plain(trace.query.substr(0, query_room));
        if (!shown.ends_with(query)) return false;
        shown.resize(shown.size() - query.size());
    }
    return plain(trace.script.name + trace.script.path_info).starts_with(shown) ||
           plain(trace.script.path_info).starts_with(shown);
}

struct Worker {
    std::string_view state, method, uri;
    std::optional<Duration> running;  ///< absent: the table says what cannot be
};

std::string_view text_of(const json::object& process, std::string_view name) {
    const auto* value = process.if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view();
}

// A table is read while workers write it, and a time that ran backwards there is a huge number.
std::optional<Duration> believable(const json::value& microseconds) {
    constexpr std::int64_t longest = std::chrono::microseconds(24h * 365).count();
    error_code error;
    const auto number = microseconds.to_number<std::int64_t>(error);
    if (error || number < 0 || number > longest) return std::nullopt;
    return std::chrono::microseconds(number);
}

// Empty: not a worker's entry.
std::optional<Worker> worker_of(const json::value& entry) {
    if (!entry.is_object()) return std::nullopt;
    const json::object& process = entry.get_object();
    const auto* duration = process.if_contains("request duration");
    Worker worker{text_of(process, "state"), text_of(process, "request method"),
                  text_of(process, "request uri"), std::nullopt};
    if (worker.state.empty() || duration == nullptr || !duration->is_number()) return std::nullopt;
    worker.running = believable(*duration);
    return worker;
}

bool may_run(const Worker& worker, const Trace& trace, const Look& look) {
    // Idle waits for a connection; the others, for the head of a request. Ours had its answer.
    if (worker.state == "Idle" || worker.state == "Reading headers") return false;
    // Whose beginning nobody knows is ruled out by what it shows only.
    if (worker.running) {
        if (look.asked - *worker.running > trace.ended + grain) return false;
        if (look.answered - *worker.running < trace.sent - grain) return false;
    }
    return worker.method == trace.method.substr(0, method_room) && may_show(worker.uri, trace);
}

}  // namespace

result<Working> still_runs(std::string_view status_json, const Trace& trace, const Look& look) {
    error_code error;
    const json::value status = json::parse(json::string_view(status_json), error);
    if (error || !status.is_object()) return error_code(errc::upstream_bad_response);
    const auto* processes = status.get_object().if_contains("processes");
    if (processes == nullptr || !processes->is_array())
        return error_code(errc::upstream_bad_response);
    bool may = false;
    for (const json::value& entry : processes->get_array()) {
        const auto worker = worker_of(entry);
        if (!worker) return error_code(errc::upstream_bad_response);
        may = may || may_run(*worker, trace, look);
    }
    return may ? Working::perhaps : Working::no;
}

}  // namespace ticketgate::fcgi
