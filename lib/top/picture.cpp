#include "top/picture.hpp"

#include <boost/json/parse.hpp>
#include <exception>

#include "top/line_text.hpp"
#include "top/members.hpp"

namespace ticketgate::top {
namespace {

namespace json = boost::json;

std::uint64_t number(const json::object& from, const char* key) {
    return from.at(key).to_number<std::uint64_t>();
}

double seconds(const json::object& from, const char* key) {
    return from.at(key).to_number<double>();
}

std::optional<double> pause_left(const json::object& from) {
    if (from.at("pause_left_seconds").is_null()) return std::nullopt;
    return seconds(from, "pause_left_seconds");
}

// A process of an earlier version does not tell it.
double stalled(const json::object& from) {
    return seconds(from,
                   from.contains("stalled_seconds") ? "stalled_seconds" : "oldest_hold_seconds");
}

std::string elsewhere(const json::object& from) {
    const json::value* found = from.if_contains("elsewhere");
    return found != nullptr && found->is_string() ? std::string(found->get_string())
                                                  : std::string();
}

bool refuses(const json::object& from) {
    const json::value* found = from.if_contains("keeper_refuses");
    return found != nullptr && found->is_bool() && found->get_bool();
}

void add_old_request(const json::object& from, QueueLine& to) {
    if (const auto* const pid = from.if_contains("old_process_pid"))
        to.old_pid = pid->to_number<std::int64_t>();
    const json::value* const found = from.if_contains("old_process_runs");
    if (found == nullptr) return;
    const json::object& request = found->as_object();
    to.old_request = text(request, "request") + ", request id " + text(request, "request_id");
    to.old_seconds = seconds(request, "held_seconds");
}

QueueLine queue(const json::object& from) {
    QueueLine to{.name = text(from, "name"),
                 .order = text(from, "order"),
                 .waiting = number(from, "waiting"),
                 .in_flight = number(from, "in_flight"),
                 .max_in_flight = number(from, "max_in_flight"),
                 .oldest_wait = seconds(from, "oldest_wait_seconds"),
                 .oldest_hold = seconds(from, "oldest_hold_seconds"),
                 .stalled = stalled(from),
                 .paused = from.at("paused").as_bool(),
                 .pause_left = pause_left(from),
                 .elsewhere = elsewhere(from),
                 .keeper_refuses = refuses(from)};
    add_old_request(from, to);
    return to;
}

TicketLine ticket(const json::object& from, TicketState state) {
    const bool holds = from.contains("held_seconds");
    return {.number = number(from, "number"),
            .state = state,
            .seconds = seconds(from, holds ? "held_seconds" : "waited_seconds"),
            .client = text(from, "client_ip"),
            .method = text(from, "method"),
            .target = text(from, "target"),
            .request_id = text(from, "request_id"),
            .client_is = from.contains("client") ? text(from, "client") : "",
            .inside_of = from.contains("inside_of") ? number(from, "inside_of") : 0,
            .not_sent = from.contains("not_sent"),
            .upstream = from.contains("upstream") ? text(from, "upstream") : "",
            .end_unknown = from.contains("end_unknown")};
}

void add_tickets(const json::object& from, Tickets& to) {
    for (const auto& one : from.at("in_flight").as_array())
        to.lines.push_back(ticket(one.as_object(), TicketState::running));
    for (const auto& one : from.at("inside").as_array())
        to.lines.push_back(ticket(one.as_object(), TicketState::inside));
    for (const auto& one : from.at("waiting").as_array()) {
        const bool ready = one.as_object().at("ready").as_bool();
        to.lines.push_back(
            ticket(one.as_object(), ready ? TicketState::waiting : TicketState::uploading));
    }
    to.hidden = number(from, "in_flight_not_shown") + number(from, "waiting_not_shown");
}

std::string worker_wait(const json::object& from) {
    if (!from.contains("waiting")) return {};  // ticketgate does not start its workers
    const auto waiting = number(from, "waiting");
    const std::string trouble = text(from, "trouble");
    if (waiting == 0 && trouble.empty()) return {};
    return text(from, "upstream") + ": " + std::to_string(waiting) +
           (waiting == 1 ? " request waits" : " requests wait") + " for a worker" +
           (trouble.empty() ? "" : "; the last trouble: " + trouble);
}

// A process of an earlier version does not tell it.
std::string upstream_failure(const json::object& from) {
    const json::value* const last = from.if_contains("last_failure_seconds");
    if (last == nullptr || last->is_null()) return {};
    const double ago = last->to_number<double>();
    if (ago > recent_failure) return {};
    const auto failures = number(from, "failures");
    return text(from, "upstream") + ": " + std::to_string(failures) +
           (failures == 1 ? " failure" : " failures") + ", the last " + duration_text(ago) +
           " ago: " + text(from, "last_failure");
}

// Every kind of wrong text is an exception of the JSON library.
template <class Read>
auto read(std::string_view from, Read read) -> std::optional<decltype(read(json::object()))> {
    try {
        return read(json::parse(json::string_view(from.data(), from.size())).as_object());
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string client_text(std::string_view client_is) {
    if (client_is == "gone") return ", client left";
    if (client_is == "slow") return ", held back by a slow client";
    if (client_is == "timed_out") return ", client answered after response_timeout";
    return {};
}

std::optional<std::vector<QueueLine>> read_queues(std::string_view from) {
    return read(from, [](const json::object& answer) {
        std::vector<QueueLine> queues;
        for (const auto& one : answer.at("queues").as_array())
            queues.push_back(queue(one.as_object()));
        return queues;
    });
}

std::optional<Tickets> read_tickets(std::string_view from) {
    return read(from, [](const json::object& answer) {
        Tickets tickets{queue(answer), {}, 0};
        add_tickets(answer.at("tickets").as_object(), tickets);
        return tickets;
    });
}

std::string read_spool_trouble(std::string_view from) {
    const auto told = read(from, [](const json::object& answer) {
        return answer.contains("spool_trouble") ? text(answer, "spool_trouble") : std::string();
    });
    return told.value_or("");
}

std::string read_drain(std::string_view lines) {
    static constexpr std::string_view begin = "draining\nwhat still runs is cut in ";
    if (!lines.starts_with(begin)) return {};
    lines.remove_prefix(lines.find('\n') + 1);
    return std::string(lines.substr(0, lines.find('\n')));
}

std::optional<ConfigLine> read_config(std::string_view from) {
    return read(from, [](const json::object& answer) {
        const auto& last = answer.at("last_read").as_object();
        ConfigLine config{seconds(answer, "age_seconds"), seconds(last, "age_seconds"), 0, {}};
        const auto& problems = last.at("problems").as_array();
        config.problems = problems.size() + number(last, "problems_not_shown");
        if (!problems.empty()) config.first_problem = std::string(problems.front().as_string());
        return config;
    });
}

// A process of an earlier version does not tell it.
std::vector<std::string> read_upstream_troubles(std::string_view from) {
    std::vector<std::string> lines;
    (void)read(from, [&](const json::object& answer) {
        if (!answer.contains("upstreams")) return 0;
        for (const auto& one : answer.at("upstreams").as_array())
            for (auto& line : {worker_wait(one.as_object()), upstream_failure(one.as_object())})
                if (!line.empty()) lines.push_back(line);
        return 0;
    });
    return lines;
}

std::vector<BusyWorker> read_busy_workers(std::string_view from) {
    std::vector<BusyWorker> busy;
    (void)read(from, [&](const json::object& answer) {
        for (const auto& one : answer.at("workers").as_array()) {
            const json::object& worker = one.as_object();
            if (text(worker, "state") != "busy") continue;
            busy.push_back({text(worker, "upstream"), worker.at("pid").to_number<std::int64_t>(),
                            worker.contains("request_id") ? text(worker, "request_id") : ""});
        }
        return 0;
    });
    return busy;
}

}  // namespace ticketgate::top
