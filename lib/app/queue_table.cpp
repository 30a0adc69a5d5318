#include "app/queue_table.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <vector>

#include "app/text_table.hpp"
#include "top/kept.hpp"
#include "top/line_text.hpp"

namespace ticketgate {
namespace {

namespace json = boost::json;

using table::aligned;
using table::cell;
using table::Row;

std::string seconds(const json::value& value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1fs", value.to_number<double>());
    return text;
}

std::string number(const json::value& value) {
    return std::to_string(value.to_number<std::uint64_t>());
}

std::string cell(const json::value& value) {
    const auto& text = value.as_string();
    return cell(std::string_view(text.data(), text.size()));
}

const Row queue_columns{"QUEUE",       "RUNNING", "WAITING", "OLDEST RUN",
                        "OLDEST WAIT", "ORDER",   "PAUSED"};
const Row ticket_columns{"NUMBER", "STATE", "FOR", "CLIENT", "REQUEST", "REQUEST ID"};

std::string pause(const json::object& queue) {
    if (!queue.at("paused").as_bool()) return "no";
    const auto& left = queue.at("pause_left_seconds");
    return left.is_null() ? "yes" : seconds(left) + " more";
}

// As the listener names it; empty: nothing, or a process of an earlier version does not tell it.
std::string named(const json::object& from, const char* key) {
    const auto* const found = from.if_contains(key);
    return found == nullptr || !found->is_string() ? "" : cell(*found);
}

std::string keeper(const json::object& queue) {
    return named(queue, "keeper");
}

// A replica that is not sure of its queue names no keeper: itself or another one.
std::string elsewhere(const json::object& queue) {
    const std::string where = named(queue, "elsewhere");
    const bool not_sure = where == "other_replica" && queue.contains("keeper");
    return not_sure && keeper(queue).empty() ? "not known" : top::place_text(where);
}

Row queue_row(const json::object& queue) {
    return {cell(queue.at("name")),
            number(queue.at("in_flight")) + " of " + number(queue.at("max_in_flight")),
            number(queue.at("waiting")),
            seconds(queue.at("oldest_hold_seconds")),
            seconds(queue.at("oldest_wait_seconds")),
            cell(queue.at("order")),
            pause(queue)};
}

// Only if it says something of a queue: lines are short.
void add_column(std::vector<Row>& rows, const std::vector<const json::object*>& queues,
                const char* title, std::string (*text)(const json::object&)) {
    const auto says = [&](const json::object* queue) { return !text(*queue).empty(); };
    if (std::ranges::none_of(queues, says)) return;
    rows[0].emplace_back(title);
    for (std::size_t i = 0; i < queues.size(); ++i) {
        const std::string one = text(*queues[i]);
        rows[i + 1].push_back(one.empty() ? "-" : one);
    }
}

std::vector<Row> queue_rows(const std::vector<const json::object*>& queues) {
    std::vector<Row> rows{queue_columns};
    for (const auto* queue : queues) rows.push_back(queue_row(*queue));
    add_column(rows, queues, "ALSO IN", elsewhere);
    add_column(rows, queues, "KEPT BY", keeper);
    return rows;
}

std::string state(const json::object& ticket, const std::string& name) {
    const std::string unknown = ticket.contains("end_unknown") ? ", answered, end unknown" : "";
    return name + top::client_text(named(ticket, "client")) + unknown;
}

Row ticket_row(const json::object& ticket, const std::string& state, const char* since) {
    const std::string target = cell(ticket.at("target"));
    return {number(ticket.at("number")),
            state,
            seconds(ticket.at(since)),
            cell(ticket.at("client_ip")),
            cell(ticket.at("method")) + " " + target,
            cell(ticket.at("request_id"))};
}

std::string tickets_table(const json::object& tickets) {
    std::vector<Row> rows{ticket_columns};
    for (const auto& one : tickets.at("in_flight").as_array())
        rows.push_back(ticket_row(
            one.as_object(),
            state(one.as_object(), one.as_object().contains("not_sent") ? "not sent" : "running"),
            "held_seconds"));
    for (const auto& one : tickets.at("inside").as_array()) {
        const json::object& ticket = one.as_object();
        const char* since = ticket.contains("held_seconds") ? "held_seconds" : "waited_seconds";
        const auto name = "inside " + number(ticket.at("inside_of"));
        rows.push_back(ticket_row(ticket, state(ticket, name), since));
    }
    for (const auto& one : tickets.at("waiting").as_array()) {
        const json::object& ticket = one.as_object();
        const bool ready = ticket.at("ready").as_bool();
        rows.push_back(ticket_row(ticket, ready ? "waiting" : "uploading", "waited_seconds"));
    }
    const auto hidden = tickets.at("in_flight_not_shown").to_number<std::uint64_t>() +
                        tickets.at("waiting_not_shown").to_number<std::uint64_t>();
    const auto more = hidden == 0 ? "" : "and " + std::to_string(hidden) + " more\n";
    return rows.size() == 1 ? "no tickets\n" : aligned(rows) + more;
}

const Row worker_columns{"UPSTREAM", "PID", "STATE", "FOR", "AGE", "REQUESTS", "REQUEST ID"};

Row worker_row(const json::object& worker) {
    const auto* const id = worker.if_contains("request_id");
    return {cell(worker.at("upstream")),       number(worker.at("pid")),
            cell(worker.at("state")),          seconds(worker.at("state_seconds")),
            seconds(worker.at("age_seconds")), number(worker.at("requests")),
            id == nullptr ? "-" : cell(*id)};
}

std::string workers_of(const json::object& answer) {
    std::vector<Row> rows{worker_columns};
    for (const auto& worker : answer.at("workers").as_array())
        rows.push_back(worker_row(worker.as_object()));
    return rows.size() == 1 ? "no workers\n" : aligned(rows);
}

std::string table_of(const json::object& answer) {
    std::vector<const json::object*> queues;
    if (const auto* all = answer.if_contains("queues")) {
        for (const auto& queue : all->as_array()) queues.push_back(&queue.as_object());
        return queues.empty() ? "no queues\n" : aligned(queue_rows(queues));
    }
    return aligned(queue_rows({&answer})) + "\n" + tickets_table(answer.at("tickets").as_object());
}

std::string print(std::string_view text, std::string (*table)(const json::object&)) {
    try {
        return table(json::parse(json::string_view(text.data(), text.size())).as_object());
    } catch (const std::exception&) {
        return std::string(text);
    }
}

}  // namespace

std::string queue_table(std::string_view text) {
    return print(text, table_of);
}

std::string worker_table(std::string_view text) {
    std::string out = print(text, workers_of);
    for (const auto& line : top::read_upstream_troubles(text)) out += top::printable(line) + "\n";
    return out;
}

}  // namespace ticketgate
