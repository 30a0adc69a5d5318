#include "top/screen.hpp"

#include <algorithm>
#include <array>

#include "top/line_text.hpp"

namespace ticketgate::top {
namespace {

using Row = std::vector<std::string>;
using Lines = std::vector<Line>;

constexpr std::size_t fewest_ticket_rows = 4;
constexpr std::size_t most_upstream_troubles = 3;

const Row queue_columns{"QUEUE", "RUNNING", "WAITING", "OLDEST RUN", "OLDEST WAIT", "ORDER"};
const Row ticket_columns{"NUMBER", "STATE", "FOR", "CLIENT", "REQUEST", "REQUEST ID"};

constexpr const char* keys =
    "q quit  j/k queue  Tab request  r release  s sort  p hold the picture  space refresh";

std::string sort_text(Sort sort) {
    static constexpr std::array<const char*, 4> names{"name", "waiting", "oldest run",
                                                      "oldest wait"};
    return names[static_cast<std::size_t>(sort)];
}

std::string state_text(const TicketLine& ticket) {
    static constexpr std::array<const char*, 4> names{"running", "inside", "waiting", "uploading"};
    std::string text = names[static_cast<std::size_t>(ticket.state)];
    if (ticket.not_sent) text = "not sent";
    if (ticket.state == TicketState::inside) text += " " + std::to_string(ticket.inside_of);
    if (ticket.end_unknown) text += ", answered, end unknown";
    return text + client_text(ticket.client_is);
}

Row queue_row(const QueueLine& queue) {
    return {queue.name,
            std::to_string(queue.in_flight) + " of " + std::to_string(queue.max_in_flight),
            std::to_string(queue.waiting),
            duration_text(queue.oldest_hold),
            duration_text(queue.oldest_wait),
            queue.order};
}

std::string pause_text(const QueueLine& queue) {
    if (!queue.paused) return "no";
    return queue.pause_left ? duration_text(*queue.pause_left) + " more" : "yes";
}

// The column KEPT BY tells of replicas.
std::string other_process(const QueueLine& queue) {
    return queue.elsewhere.ends_with("_process") ? place_text(queue.elsewhere) : "";
}

// Only if it says something: lines are short.
template <class Text>
void add_column(std::vector<Row>& rows, const std::vector<QueueLine>& queues, const char* title,
                Text text) {
    rows[0].emplace_back(title);
    for (std::size_t i = 0; i < queues.size(); ++i) rows[i + 1].push_back(text(queues[i]));
}

std::vector<Row> queue_rows(const std::vector<QueueLine>& queues, const Surroundings& around) {
    std::vector<Row> rows{queue_columns};
    for (const auto& queue : queues) rows.push_back(queue_row(queue));
    const auto process = [](const QueueLine& queue) { return !other_process(queue).empty(); };
    if (std::ranges::any_of(queues, &QueueLine::paused))
        add_column(rows, queues, "PAUSED", pause_text);
    if (std::ranges::any_of(queues, process)) add_column(rows, queues, "ALSO IN", other_process);
    if (around.cluster)
        add_column(rows, queues, "KEPT BY", [&around](const QueueLine& queue) {
            return keeper_text(*around.cluster, queue.name);
        });
    return rows;
}

Row ticket_row(const TicketLine& ticket) {
    return {std::to_string(ticket.number),       state_text(ticket),
            duration_text(ticket.seconds),       ticket.client,
            ticket.method + " " + ticket.target, ticket.request_id};
}

Line head_line(const Browser& browser, const Surroundings& around) {
    std::string text =
        "ticketgate top  " + around.address + "  " +
        clock_text(static_cast<std::int64_t>(around.now.unix_s), around.now.utc_offset);
    if (!around.every.empty()) text += "  every " + around.every;
    text += "  sorted by " + sort_text(browser.sort());
    if (browser.frozen() && !around.looking) text += "  THE PICTURE IS HELD";
    return {text, Style::strong};
}

Line state_line(const Surroundings& around) {
    if (!around.failure.empty()) return {"no answer: " + around.failure, Style::alarm};
    std::string ready = around.ready ? "ready" : "DRAINING";
    if (!around.drain.empty()) ready += ", " + around.drain;
    if (!around.config) return {ready, around.ready ? Style::plain : Style::alarm};
    const auto& config = *around.config;
    std::string text = ready + "  config in force for " + duration_text(config.age);
    if (config.problems == 0) return {text, around.ready ? Style::plain : Style::alarm};
    return {text + "; the file as it was " + duration_text(config.read) +
                " ago is NOT LOADED: " + config.first_problem,
            Style::alarm};
}

Line cluster_line(const ClusterPicture& cluster) {
    return {cluster_text(cluster), cluster.problem.empty() ? Style::plain : Style::alarm};
}

void add_alarm(Lines& lines, const std::string& text, std::size_t columns) {
    for (auto& line : folded(text, columns)) lines.push_back({std::move(line), Style::alarm});
}

// A request that waits for a worker holds its slot like one that runs.
void add_troubles(Lines& lines, const Surroundings& around, std::size_t columns) {
    if (!around.spool_trouble.empty()) add_alarm(lines, around.spool_trouble, columns);
    const auto& troubles = around.upstream_troubles;
    const std::size_t shown = std::min(troubles.size(), most_upstream_troubles);
    for (std::size_t i = 0; i < shown; ++i) add_alarm(lines, troubles[i], columns);
    if (shown < troubles.size())
        lines.push_back({"and " + std::to_string(troubles.size() - shown) +
                             " more; ticketgate workers has them",
                         Style::alarm});
}

// The queues around the selected one, as many as there is room for.
void add_queues(Lines& lines, const Browser& browser, const Surroundings& around,
                std::size_t room) {
    const auto& queues = browser.queues();
    if (queues.empty()) return lines.push_back({"no queues"});
    const auto texts = aligned(queue_rows(queues, around));
    lines.push_back({"  " + texts[0], Style::strong});
    const std::size_t shown = std::min(queues.size(), std::max<std::size_t>(room, 1));
    const std::size_t selected = browser.selected_row();
    const std::size_t first =
        std::min(selected < shown / 2 ? 0 : selected - shown / 2, queues.size() - shown);
    for (std::size_t i = first; i < first + shown; ++i) {
        const bool is = i == selected;
        lines.push_back({(is ? "> " : "  ") + texts[i + 1], is                   ? Style::selected
                                                            : queues[i].stands() ? Style::alarm
                                                                                 : Style::plain});
    }
    if (shown < queues.size())
        lines.push_back(
            {"  and " + std::to_string(queues.size() - shown) + " more queues", Style::faint});
}

// A command that is cut is another command: it continues in the next line, as a shell reads it. Of
// a sentence that is cut, the end is what helps.
void add_told(Lines& lines, const std::string& text, std::size_t columns) {
    const bool command = text.find(": ticketgate ") != std::string::npos;
    for (auto& line : command ? folded_command(text, columns) : folded(text, columns))
        lines.push_back({std::move(line)});
}

void add_blocker(Lines& lines, const Browser& browser, const Surroundings& around,
                 std::size_t columns) {
    const auto& tickets = *browser.tickets();
    const bool stands = tickets.queue.stands();
    const auto begin = lines.size();
    for (const auto& text : kept_by(tickets.queue, around.replicas(), around.now))
        add_told(lines, text, columns);
    for (const auto& text : blocked_by(tickets, browser.chosen(), around.whom, around.now))
        add_told(lines, text, columns);
    if (const auto* const of = running(tickets, browser.chosen()))
        if (const auto text = workers_in_use(*of, around.busy_workers); !text.empty())
            add_told(lines, text, columns);
    if (stands) lines[begin].style = Style::alarm;
}

void add_tickets(Lines& lines, const Browser& browser, std::size_t room) {
    const auto& tickets = *browser.tickets();
    if (tickets.lines.empty() || room < 2) return;
    std::vector<Row> rows{ticket_columns};
    for (const auto& ticket : tickets.lines) {
        if (rows.size() > room) break;
        rows.push_back(ticket_row(ticket));
    }
    const auto texts = aligned(rows);
    const auto all = tickets.lines.size() + tickets.hidden;
    std::size_t shown = std::min(tickets.lines.size(), room - 1);
    if (shown < all) shown = std::min(tickets.lines.size(), room - 2);
    const auto* const chosen = running(tickets, browser.chosen());
    lines.push_back({"  " + texts[0], Style::strong});
    for (std::size_t i = 0; i < shown; ++i) {
        const bool is = &tickets.lines[i] == chosen;
        lines.push_back({(is ? "> " : "  ") + texts[i + 1], is ? Style::strong : Style::plain});
    }
    if (shown < all)
        lines.push_back({"  and " + std::to_string(all - shown) + " more", Style::faint});
}

// In two lines where one is too short: the answer must be seen.
Lines question(const ReleaseOrder& order, std::size_t columns) {
    const std::string risk =
        "Release number " + std::to_string(order.number) + " of " + order.queue +
        (order.not_sent
             ? "? Nothing of it is sent yet: its client gets an error, no worker comes free."
             : "? Its backend may still run: then two run at once.");
    const std::string answers = "y: release, other: no";
    if (length(risk) + 1 + length(answers) <= columns)
        return {{risk + " " + answers, Style::alarm}};
    return {{risk, Style::alarm}, {answers, Style::alarm}};
}

Lines last_lines(const Browser& browser, std::size_t columns) {
    if (browser.order()) return question(*browser.order(), columns);
    if (!browser.message().empty()) return {{browser.message(), Style::strong}};
    return {{keys, Style::faint}};
}

void fit(Lines& lines, Size size) {
    if (lines.size() > size.rows) lines.resize(size.rows);
    for (auto& line : lines) line.text = cut(printable(line.text), size.columns);
}

}  // namespace

std::vector<Line> screen(const Browser& browser, const Surroundings& around, Size size) {
    const bool whole = size.rows == unlimited.rows;
    const Lines last = whole ? Lines() : last_lines(browser, size.columns);
    const std::size_t rows = size.rows - std::min(size.rows, last.size());
    Lines lines{head_line(browser, around), state_line(around)};
    if (around.cluster) lines.push_back(cluster_line(*around.cluster));
    const std::size_t before = lines.size();
    add_troubles(lines, around, size.columns);
    const std::size_t waits = lines.size() - before;
    lines.push_back({});
    // Head, titles, blank lines, the blocker; the cluster, and who keeps the queue.
    const std::size_t others = (around.cluster ? 13 : 10) + waits;
    const std::size_t room = rows > others + fewest_ticket_rows ? rows - others : 1;
    add_queues(lines, browser, around, whole ? room : std::max<std::size_t>(1, room / 2));
    if (browser.tickets()) {
        lines.push_back({});
        add_blocker(lines, browser, around, size.columns);
        lines.push_back({});
        add_tickets(lines, browser, rows > lines.size() ? rows - lines.size() : 0);
    }
    fit(lines, {size.columns, rows});
    if (whole) return lines;
    lines.resize(rows);
    lines.insert(lines.end(), last.begin(), last.end());
    fit(lines, size);
    return lines;
}

}  // namespace ticketgate::top
